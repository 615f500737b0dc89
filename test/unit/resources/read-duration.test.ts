import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../../src/ports/resource-store.ts';
import { readDuration } from '../../../src/resources/read-duration.ts';
import { join, little, zeros } from '../../support/sample-files/bytes.ts';
import { SAMPLE_FILES } from '../../support/sample-files.ts';

/** A blob of any size: these bytes, then zeros. What is read of it is counted. */
const blobOf = (start: Uint8Array, sizeBytes = start.length) => {
  const read = { bytes: 0 };
  const get = async (_: string, range: ByteRange = { start: 0, end: sizeBytes - 1 }) => {
    const part = zeros(Math.min(range.end + 1, sizeBytes) - range.start);
    part.set(start.subarray(range.start, range.start + part.length));
    read.bytes += part.length;
    return new Blob([part as Uint8Array<ArrayBuffer>]).stream();
  };
  return { read, blob: { sha256: '', sizeBytes }, store: { get } };
};

describe('the duration', () => {
  it('of a long recording is told by a few bytes of it', async () => {
    const seconds = 7_200;
    const samples = seconds * 8_000;
    const { bytes } = SAMPLE_FILES['silence.wav'];
    const head = join(bytes.subarray(0, 40), little(samples, 4));
    const { blob, store, read } = blobOf(head, head.length + samples);
    expect(await readDuration(blob, 'audio/wav', store)).toBe(7_200_000);
    expect(read.bytes).toBeLessThan(300_000);
  });

  it.each([
    ['an empty file', new Uint8Array(), 0],
    ['a file of zeros', new Uint8Array(), 1_000_000],
    ['a file that is only its head', SAMPLE_FILES['still.mp4'].bytes.subarray(0, 40), 40],
    ['an archive', SAMPLE_FILES['hello.zip'].bytes, SAMPLE_FILES['hello.zip'].bytes.length],
  ])('of %s is not known', async (_, start, size) => {
    for (const type of [
      'audio/wav',
      'audio/mpeg',
      'video/mp4',
      'audio/ogg',
      'audio/flac',
      'video/webm',
      'audio/x-unheard-of',
    ]) {
      const { blob, store } = blobOf(start, size);
      expect(await readDuration(blob, type, store)).toBeNull();
    }
  });

  it.each(['audio/wav', 'audio/mpeg', 'video/mp4', 'audio/ogg', 'audio/flac', 'video/webm', 'audio/aiff'])(
    'of a hostile file is given up before more than 4 MiB are read: %s',
    async (type) => {
      const gigabyte = 1024 ** 3;
      const heads = [
        ...Object.values(SAMPLE_FILES).map(({ bytes }) => bytes.subarray(0, 30)),
        join('OggS', zeros(22), [255], new Uint8Array(255).fill(255)),
        join('fLaC', [0x04, 0xff, 0xff, 0xff]),
        join([0x1a, 0x45, 0xdf, 0xa3, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]),
      ];
      for (const head of heads) {
        const { blob, store, read } = blobOf(head, gigabyte);
        await readDuration(blob, type, store);
        expect(read.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
      }
    },
    20_000,
  );
});
