import { parseFromTokenizer } from 'music-metadata';
import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from 'strtok3/core';
import { readAll } from '../lib/bytes.ts';
import type { ResourceStore, StoredBlob } from '../ports/resource-store.ts';

/** Bytes that are read at a time; players put what we look for into few places. */
const WINDOW = 64 * 1024;
/** Bytes and steps that are spent on one file: what says no length within them has none that we tell. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_STEPS = 100_000;

/**
 * Milliseconds that a sound or film plays, or null when the file does not say. A few parts of it are read, wherever they
 * are; it is never held as a whole. Loaded on first use: the parsers are as large as the rest of the core.
 */
export const readDuration = async (
  blob: StoredBlob,
  mimeType: string,
  store: Pick<ResourceStore, 'get'>,
): Promise<number | null> => {
  try {
    const { format } = await parseFromTokenizer(new BlobTokenizer(blob, mimeType, store), {
      duration: false,
      skipCovers: true,
      skipPostHeaders: true,
    });
    // A film without sound tells its length only in its tracks.
    const told = [format.duration, ...format.trackInfo.map((track) => track.duration)];
    const seconds = Math.max(0, ...told.filter((duration) => Number.isFinite(duration)).map(Number));
    return seconds === 0 ? null : Math.round(seconds * 1_000);
  } catch {
    // A broken file is still a file; it only has no length.
    return null;
  }
};

class OverBudget extends Error {}

/** Random access to a blob in the store, within a budget. */
class BlobTokenizer extends AbstractTokenizer {
  readonly fileInfo: { readonly size: number; readonly mimeType: string };
  readonly #read: (start: number, end: number) => Promise<Uint8Array>;
  #window: Uint8Array = new Uint8Array();
  #windowStart = 0;
  #bytesLeft = MOST_BYTES;
  #stepsLeft = MOST_STEPS;

  constructor(blob: StoredBlob, mimeType: string, store: Pick<ResourceStore, 'get'>) {
    super();
    this.fileInfo = { size: blob.sizeBytes, mimeType };
    this.#read = async (start, end) => {
      const stream = await store.get(blob.sha256, { start, end: end - 1 });
      return stream === null ? new Uint8Array() : await readAll(stream);
    };
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const count = await this.peekBuffer(target, options);
    this.position = (options?.position ?? this.position) + count;
    return count;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(target, options);
    this.#stepsLeft -= 1;
    if (this.#stepsLeft < 0 || length > MOST_BYTES) throw new OverBudget();
    const count = Math.max(0, Math.min(length, this.fileInfo.size - position));
    if (count < length && mayBeLess !== true) throw new EndOfStreamError();
    if (position < this.#windowStart || position + count > this.#windowStart + this.#window.length) {
      const end = Math.min(this.fileInfo.size, position + Math.max(count, WINDOW));
      this.#bytesLeft -= end - position;
      if (this.#bytesLeft < 0) throw new OverBudget();
      this.#window = await this.#read(position, end);
      this.#windowStart = position;
    }
    const from = position - this.#windowStart;
    target.set(this.#window.subarray(from, from + count));
    return count;
  }
}
