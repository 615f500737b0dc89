import { ChartFault } from './chart/chart-fault.mjs';
import { drawInThread } from './chart/draw-in-thread.mjs';

const KINDS = { Line: 'line', Bar: 'bar', Scatter: 'scatter' };

/** Draws one chart (§10.2). The thread that draws, with megabytes of fonts and WebAssembly, starts at the first call. */
export async function processToolCall(args, context) {
  try {
    return await draw(args, context);
  } catch (error) {
    if (!(error instanceof ChartFault)) throw error;
    const { code, message, target, details } = error;
    return { status: 'error', data: null, error: { code, message, retryable: false, target, details } };
  }
}

const draw = async (args, { command, resourceWriter, signal }) => {
  const { png, facts, title, warnings } = await drawInThread(KINDS[command], args, signal);
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
