import { formatBytes, joinBytes } from '../../../lib/bytes.ts';
import { raceWithSignal } from '../../../lib/deadline.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';

/** The text of a body of at most so many bytes. Larger is a failure, not a cut: half a JSON text is none. */
export const readBounded = async (...given: Parameters<typeof readBoundedBytes>): Promise<string> =>
  new TextDecoder().decode(await readBoundedBytes(...given));

/** The same, as it came; `what` it is, for the message. */
export const readBoundedBytes = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal: AbortSignal,
  what = 'answer',
): Promise<Uint8Array<ArrayBuffer>> => {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await raceWithSignal(reader.read(), signal);
      if (done) return joinBytes(pieces);
      size += value.byteLength;
      if (size > maxBytes)
        throw new UpstreamError({
          code: 'UPSTREAM_TOO_LARGE',
          message: `the upstream's ${what} is larger than ${formatBytes(maxBytes)}`,
        });
      pieces.push(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
};
