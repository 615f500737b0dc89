import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import type { Readable, Transform } from 'node:stream';
import { ReadableStream as WebStream } from 'node:stream/web';
import { joinBytes } from '../../../src/lib/bytes.ts';

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

type BodyOptions = { readonly encoding: string; readonly maxBytes: number; readonly signal: AbortSignal };

/**
 * Reads a body to its end, decompressed, and never holds more than `maxBytes` and a chunk of it: a small file that
 * unpacks to gigabytes is stopped as it unpacks. Throws BodyTooLarge, BadEncoding, or the stream's own error.
 */
export const readBody = async (body: Readable, options: BodyOptions): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  await consume(body, options, async (source) => {
    for await (const chunk of source) chunks.push(chunk);
  });
  return joinBytes(chunks);
};

/** The same for a body that goes on as it comes, and is not held. */
export const passBody = async (
  body: Readable,
  options: BodyOptions,
  receive: (body: ReadableStream<Uint8Array>) => Promise<void>,
): Promise<Uint8Array> => {
  await consume(body, options, (source) => receive(WebStream.from(source) as unknown as ReadableStream<Uint8Array>));
  return new Uint8Array();
};

const consume = async (
  body: Readable,
  { encoding, maxBytes, signal }: BodyOptions,
  take: (source: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> => {
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
  const count = bounded(maxBytes);
  if (decoder === null) await pipeline(body, count, take, { signal });
  else {
    decoder.on('error', () => undefined);
    await pipeline(body, bounded(maxBytes), decoder, count, take, { signal }).catch((error: unknown) => {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ERR_ZSTD|ZSTD_)/.test(code) && !signal.aborted)
        throw new BadEncoding(`the body is not valid ${encodings[0] ?? ''}`);
      throw error;
    });
  }
};

/** Passes chunks on, and stops the pipeline past the limit. */
const bounded = (maxBytes: number) =>
  async function* count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge(`the body has more than ${maxBytes} bytes`);
      yield chunk;
    }
  };
