import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import type { Readable, Transform } from 'node:stream';

/** The body has more bytes than allowed, compressed or not. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The body is not in the encoding that its header names. */
export class BadEncoding extends Error {
  override readonly name = 'BadEncoding';
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** What `read-body` can take off; to be sent as Accept-Encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/**
 * Reads a body to its end, decompressed, and never holds more than `maxBytes` and a chunk of it: a small file that
 * unpacks to gigabytes is stopped as it unpacks. Throws BodyTooLarge, BadEncoding, or the stream's own error.
 */
export const readBody = async (
  body: Readable,
  {
    encoding,
    maxBytes,
    signal,
  }: { readonly encoding: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> => {
  const named = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const encodings = named.filter((name) => name !== '' && name !== 'identity');
  const decode = DECODERS[encodings[0] ?? ''];
  if (encodings.length > 1 || (encodings.length === 1 && decode === undefined)) {
    body.destroy();
    throw new BadEncoding(`the content encoding "${encoding.slice(0, 80)}" is not understood`);
  }
  const decoder = decode?.() ?? null;
  const chunks: Uint8Array[] = [];
  const collect = bounded(maxBytes, (chunk) => chunks.push(chunk));
  if (decoder === null) await pipeline(body, collect, { signal });
  else {
    decoder.on('error', () => undefined);
    await pipeline(body, bounded(maxBytes), decoder, collect, { signal }).catch((error: unknown) => {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ERR_ZSTD|ZSTD_)/.test(code) && !signal.aborted)
        throw new BadEncoding(`the body is not valid ${encodings[0] ?? ''}`);
      throw error;
    });
  }
  return joined(chunks);
};

/** In memory of its own: a small Buffer is a part of one that others share, and cannot be handed to a thread. */
const joined = (chunks: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
};

/** Passes chunks on, or keeps them, and stops the pipeline past the limit. */
const bounded = (maxBytes: number, keep?: (chunk: Uint8Array) => void) =>
  async function* count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge(`the body has more than ${maxBytes} bytes`);
      if (keep === undefined) yield chunk;
      else keep(chunk);
    }
  };
