/**
 * Yields the payload of every tool-invocation line of a stream.
 * A line that is no such frame is the host's fault and throws: §11.3 makes that a transport error.
 */
export async function* readInvocations(stream) {
  for await (const line of readLines(stream)) {
    if (line.trim() !== '') yield parseInvocation(line);
  }
}

/** Writes one tool-result line; resolves when it has left the process. */
export function writeResult(stream, payload) {
  const line = `${JSON.stringify({ vcp: 'tool-result', version: '1.0', payload })}\n`;
  return new Promise((resolve, reject) => {
    stream.write(line, (error) => (error ? reject(error) : resolve()));
  });
}

async function* readLines(stream) {
  stream.setEncoding('utf8');
  let pending = '';
  for await (const chunk of stream) {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop();
    yield* lines;
  }
  if (pending !== '') yield pending;
}

function parseInvocation(line) {
  let frame;
  try {
    frame = JSON.parse(line);
  } catch {
    throw new Error('The line on stdin is not JSON; a tool-invocation frame is expected');
  }
  if (frame?.vcp !== 'tool-invocation' || frame.version !== '1.0') {
    throw new Error('The line on stdin is not a frame with vcp "tool-invocation" and version "1.0"');
  }
  const { payload } = frame;
  if (typeof payload?.command !== 'string' || !isObject(payload.arguments)) {
    throw new Error('The tool-invocation frame lacks payload.command (string) or payload.arguments (object)');
  }
  return payload;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
