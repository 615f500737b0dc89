import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlobTooLarge, type ResourceStore } from '../../../src/ports/resource-store.ts';

export type OpenResourceStore = {
  readonly store: ResourceStore;
  /** Names of everything that lies about and is no blob, for stores that can tell. */
  leftovers?(): readonly string[];
  close(): Promise<void>;
};

const NO_LIMIT = { maxBytes: 1024 * 1024 * 1024 };

/** Random bytes; some runtimes give no more than 64 KiB at once. */
const randomBytes = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes in chunks of the given size, with a pause before each; `failAfter` breaks off after so many chunks. */
export const streamOf = (
  bytes: Uint8Array,
  chunkSize: number,
  failAfter = Infinity,
): ReadableStream<Uint8Array> & { cancelled?: boolean } => {
  let offset = 0;
  let chunks = 0;
  const stream: ReadableStream<Uint8Array> & { cancelled?: boolean } = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Promise.resolve();
      if (chunks >= failAfter) throw new Error('the source broke off');
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(offset, offset + chunkSize));
      offset += chunkSize;
      chunks += 1;
    },
    cancel() {
      stream.cancelled = true;
    },
  });
  return stream;
};

/** The same bytes as a byte stream, whose reader may bring the memory; `failAfter` breaks off after so many reads. */
export const byteStreamOf = (
  bytes: Uint8Array,
  chunkSize: number,
  failAfter = Infinity,
): ReadableStream<Uint8Array> & { cancelled?: boolean } => {
  let offset = 0;
  let reads = 0;
  const stream: ReadableStream<Uint8Array> & { cancelled?: boolean } = new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: chunkSize,
    async pull(controller) {
      await Promise.resolve();
      if (reads >= failAfter) throw new Error('the source broke off');
      reads += 1;
      const request = controller.byobRequest as ReadableStreamBYOBRequest;
      const view = request.view as Uint8Array;
      const piece = bytes.subarray(offset, offset + Math.min(chunkSize, view.length));
      view.set(piece);
      offset += piece.length;
      if (piece.length === 0) controller.close();
      request.respond(piece.length);
    },
    cancel() {
      stream.cancelled = true;
    },
  });
  return stream;
};

/** What every resource store does. `open` gives an empty one. */
export const describeResourceStore = (name: string, open: () => Promise<OpenResourceStore>): void => {
  describe(`resource store: ${name}`, () => {
    let opened: OpenResourceStore;
    let store: ResourceStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const read = async (hash: string, range?: { start: number; end: number }): Promise<Buffer | null> => {
      const stream = await store.get(hash, range);
      return stream === null ? null : Buffer.from(await new Response(stream).arrayBuffer());
    };

    it.each([
      ['bytes', (bytes: Uint8Array) => bytes],
      ['a stream in one piece', (bytes: Uint8Array) => streamOf(bytes, bytes.length)],
      ['a stream in many pieces', (bytes: Uint8Array) => streamOf(bytes, 1_000)],
      ['a byte stream in one piece', (bytes: Uint8Array) => byteStreamOf(bytes, bytes.length)],
      ['a byte stream in many pieces', (bytes: Uint8Array) => byteStreamOf(bytes, 1_000)],
      ['a stream in pieces of one byte', (bytes: Uint8Array) => streamOf(bytes.subarray(0, 500), 1)],
    ])('keeps %s', async (what, source) => {
      const bytes = what.endsWith('one byte') ? randomBytes(500) : randomBytes(1_300_000);
      const blob = await store.put(source(bytes), NO_LIMIT);
      expect(blob).toEqual({ sha256: sha256(bytes), sizeBytes: bytes.length });
      expect(await store.stat(blob.sha256)).toEqual(blob);
      expect((await read(blob.sha256))?.equals(bytes)).toBe(true);
    });

    it('keeps nothing at all, too', async () => {
      const blob = await store.put(new Uint8Array(), NO_LIMIT);
      expect(blob).toEqual({
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        sizeBytes: 0,
      });
      expect((await read(blob.sha256))?.length).toBe(0);
      expect((await store.put(streamOf(new Uint8Array(), 1), NO_LIMIT)).sha256).toBe(blob.sha256);
      expect((await store.put(byteStreamOf(new Uint8Array(), 1), NO_LIMIT)).sha256).toBe(blob.sha256);
    });

    it('does not change with the bytes that it was given', async () => {
      const bytes = new Uint8Array(randomBytes(64));
      const kept = bytes.slice();
      const blob = await store.put(bytes, NO_LIMIT);
      bytes.fill(0);
      expect((await read(blob.sha256))?.equals(kept)).toBe(true);
    });

    it('gives the same address to the same bytes, however they come', async () => {
      const bytes = randomBytes(10_000);
      const first = await store.put(bytes, NO_LIMIT);
      expect(await store.put(streamOf(bytes, 77), NO_LIMIT)).toEqual(first);
      expect((await read(first.sha256))?.equals(bytes)).toBe(true);
    });

    it('takes the same bytes many times at once', async () => {
      const bytes = randomBytes(200_000);
      const blobs = await Promise.all(
        Array.from({ length: 12 }, (_, index) => store.put(index % 2 === 0 ? bytes : streamOf(bytes, 5_000), NO_LIMIT)),
      );
      expect(new Set(blobs.map((blob) => blob.sha256))).toEqual(new Set([sha256(bytes)]));
      expect((await read(sha256(bytes)))?.equals(bytes)).toBe(true);
    });

    it('can be read while the same bytes are put again', async () => {
      const bytes = randomBytes(2_000_000);
      const blob = await store.put(bytes, NO_LIMIT);
      const [again, ...copies] = await Promise.all([
        store.put(streamOf(bytes, 50_000), NO_LIMIT),
        ...Array.from({ length: 4 }, () => read(blob.sha256)),
      ]);
      expect(again).toEqual(blob);
      for (const copy of copies) expect(copy?.equals(bytes)).toBe(true);
    });

    it.each([
      ['bytes', (bytes: Uint8Array) => bytes],
      ['a stream', (bytes: Uint8Array) => streamOf(bytes, 100)],
      ['a byte stream', (bytes: Uint8Array) => byteStreamOf(bytes, 100)],
    ])('refuses %s over the limit and keeps nothing of it', async (_what, source) => {
      const bytes = randomBytes(1_001);
      await expect(store.put(source(bytes), { maxBytes: 1_000 })).rejects.toBeInstanceOf(BlobTooLarge);
      expect(await store.stat(sha256(bytes))).toBeNull();
      expect(await store.stat(sha256(bytes.subarray(0, 1_000)))).toBeNull();
      expect(await store.put(bytes, { maxBytes: 1_001 })).toEqual({ sha256: sha256(bytes), sizeBytes: 1_001 });
    });

    it.each([
      ['a stream', streamOf],
      ['a byte stream', byteStreamOf],
    ])('stops reading %s that is over the limit', async (_what, sourceOf) => {
      const source = sourceOf(new Uint8Array(10_000_000), 1_000);
      await expect(store.put(source, { maxBytes: 10_000 })).rejects.toMatchObject({ maxBytes: 10_000 });
      expect(source.cancelled).toBe(true);
    });

    it('keeps nothing of a source that breaks off', async () => {
      const bytes = randomBytes(1_000);
      await expect(store.put(streamOf(bytes, 100, 5), NO_LIMIT)).rejects.toThrow('the source broke off');
      await expect(store.put(byteStreamOf(bytes, 100, 5), NO_LIMIT)).rejects.toThrow('the source broke off');
      expect(await store.stat(sha256(bytes.subarray(0, 500)))).toBeNull();
    });

    it.each([
      ['the start', { start: 0, end: 9 }, [0, 10]],
      ['the middle', { start: 100, end: 199 }, [100, 200]],
      ['one byte', { start: 255, end: 255 }, [255, 256]],
      ['the end', { start: 990, end: 999 }, [990, 1_000]],
      ['more than there is', { start: 990, end: 5_000 }, [990, 1_000]],
      ['all', { start: 0, end: 999 }, [0, 1_000]],
      ['what lies past the end', { start: 1_000, end: 1_010 }, [0, 0]],
      ['what lies far past the end', { start: 9_000, end: 9_010 }, [0, 0]],
    ] as const)('reads a part: %s', async (_what, range, [from, to]) => {
      const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256));
      const { sha256: hash } = await store.put(bytes, NO_LIMIT);
      expect(await read(hash, range)).toEqual(bytes.subarray(from, to));
    });

    it('knows nothing of bytes that were never put', async () => {
      const missing = sha256(randomBytes(8));
      expect(await store.get(missing)).toBeNull();
      expect(await store.get(missing, { start: 0, end: 1 })).toBeNull();
      expect(await store.stat(missing)).toBeNull();
    });

    const listed = async () => {
      const found = new Map<string, { sizeBytes: number; touchedAt: number }>();
      for await (const { sha256: hash, ...facts } of store.list()) found.set(hash, facts);
      return found;
    };

    it('lists what it keeps, with its size and when it was put', async () => {
      const before = Date.now() - 2_000;
      const bytes = randomBytes(77);
      const { sha256: hash } = await store.put(bytes, NO_LIMIT);
      const found = (await listed()).get(hash);
      expect(found?.sizeBytes).toBe(77);
      expect(found?.touchedAt).toBeGreaterThan(before);
      expect(found?.touchedAt).toBeLessThan(Date.now() + 2_000);
      expect((await listed()).has(sha256(randomBytes(8)))).toBe(false);
    });

    it('collects what was not touched since a time, and nothing else', async () => {
      const bytes = randomBytes(1_000);
      const { sha256: hash } = await store.put(bytes, NO_LIMIT);
      expect(await store.collect(hash, Date.now() - 60_000)).toBe(false);
      expect((await read(hash))?.equals(bytes)).toBe(true);
      expect(await store.collect(hash, Date.now() + 60_000)).toBe(true);
      expect([await store.stat(hash), await store.get(hash), (await listed()).has(hash)]).toEqual([null, null, false]);
      expect(await store.collect(hash, Date.now() + 60_000)).toBe(false);
      expect(await store.put(bytes, NO_LIMIT)).toEqual({ sha256: hash, sizeBytes: 1_000 });
      expect((await read(hash))?.equals(bytes)).toBe(true);
    });

    it.each(['put', 'keep'] as const)('makes a blob young by %s', async (how) => {
      const bytes = randomBytes(500);
      const { sha256: hash } = await store.put(bytes, NO_LIMIT);
      await new Promise((done) => setTimeout(done, 50));
      const since = Date.now() - 20;
      if (how === 'put') await store.put(bytes, NO_LIMIT);
      else expect(await store.keep(hash)).toBe(true);
      expect(await store.collect(hash, since)).toBe(false);
      expect((await read(hash))?.equals(bytes)).toBe(true);
    });

    it('keeps nothing that is not there', async () => {
      expect(await store.keep(sha256(randomBytes(8)))).toBe(false);
      expect(await store.collect(sha256(randomBytes(8)), Date.now() + 60_000)).toBe(false);
    });

    it('reads to its end what is collected meanwhile', async () => {
      const bytes = randomBytes(3_000_000);
      const { sha256: hash } = await store.put(bytes, NO_LIMIT);
      const stream = await store.get(hash);
      expect(await store.collect(hash, Date.now() + 60_000)).toBe(true);
      expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(bytes)).toBe(true);
    });

    it('leaves nothing lying about after all that', () => {
      expect(opened.leftovers?.() ?? []).toEqual([]);
    });
  });
};
