const KINDS = { Line: 'line', Bar: 'bar', Scatter: 'scatter' };

/** Draws one chart (§10.2). What draws it, megabytes of fonts and WebAssembly, is loaded by the first call. */
export async function processToolCall(args, context) {
  const [{ makeChart }, { ChartFault }] = await Promise.all([
    import('./chart/make-chart.mjs'),
    import('./chart/chart-fault.mjs'),
  ]);
  try {
    return await draw(makeChart, args, context);
  } catch (error) {
    if (!(error instanceof ChartFault)) throw error;
    const { code, message, target, details } = error;
    return { status: 'error', data: null, error: { code, message, retryable: false, target, details } };
  }
}

const draw = async (makeChart, args, { command, resourceWriter }) => {
  const { png, facts, title, warnings } = await makeChart(KINDS[command], args);
  const resourceId = await resourceWriter.write(png, {
    fileName: `${fileNameOf(title ?? `${facts.kind} chart`)}.png`,
    mimeType: 'image/png',
  });
  return {
    status: 'success',
    data: { ...facts, image: { $resource: 'chart' } },
    resources: [{ id: 'chart', kind: 'image', role: 'output', resourceId, metadata: { altText: facts.altText } }],
    warnings,
    presentation: {
      title: title ?? `${command} chart`,
      summary: `${command} chart of ${facts.seriesCount} series, ${facts.pointCount} points`,
      preferredView: 'image-result',
      primaryResourceId: 'chart',
    },
    aiAdvice: {
      intent: 'display_resource',
      message: 'Show the chart to the user; use altText for readers who cannot see it.',
      resourceIds: ['chart'],
      renderHint: 'image',
      priority: 'normal',
    },
  };
};

/** A title as a file name that every system takes. */
const fileNameOf = (title) =>
  title
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60) || 'chart';
