import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readMultipartFile } from '../../src/server/upload/multipart-file.ts';

const encoder = new TextEncoder();
const BOUNDARY = 'b0undary';

/** A body that comes in pieces of the given sizes, over and over. */
const inPieces = (bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> => {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      const size = sizes[turn % sizes.length] as number;
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
      turn += 1;
    },
  });
};

const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** Bytes that come close to the boundary again and again. */
const content = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom('\r\n', '--', '\r\n--', `\r\n--${BOUNDARY.slice(0, -1)}`, `--${BOUNDARY}`, '\n--b0')
        .map((text) => encoder.encode(text)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => joined(...parts))
  // A file that has the boundary in it is one that no sender makes.
  .filter(
    (bytes) =>
      !String.fromCharCode(...bytes).includes(`\r\n--${BOUNDARY}`) &&
      !String.fromCharCode(...bytes).startsWith(`--${BOUNDARY}`),
  );

it('gives the file of a form byte for byte, however the form is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.integer({ min: 0, max: 25_000 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 30_000 })), {
        minLength: 1,
        maxLength: 6,
      }),
      async (bytes, padding, sizes) => {
        // With padding, what matters lies behind the part that is gathered first.
        const file = joined(new Uint8Array(padding).fill(0x2d), bytes);
        const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="月.bin"\r\nContent-Type: image/png\r\n\r\n`;
        const body = joined(encoder.encode(head), file, encoder.encode(`\r\n--${BOUNDARY}--\r\n`));
        const found = await readMultipartFile(
          `multipart/form-data; boundary=${BOUNDARY}`,
          inPieces(body, sizes),
          1_000_000,
        );
        expect([found.fileName, found.mimeType]).toEqual(['月.bin', 'image/png']);
        const read = new Uint8Array(
          await new Response(found.body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
        );
        expect(read.length).toBe(file.length);
        expect(read.every((byte, index) => byte === file[index])).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
}, 60_000);
