/** What a store knows of a blob. */
export type StoredBlob = { readonly sha256: string; readonly sizeBytes: number };

/** A part of a blob, both ends included, as in an HTTP Range. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Raised when a blob turns out to be larger than `maxBytes`; nothing is kept of it. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the resource is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** A blob with when it was last put or kept, in milliseconds since the epoch. */
export type ListedBlob = StoredBlob & { readonly touchedAt: number };

/**
 * Content-addressed bytes. Putting the same bytes twice keeps one copy; a blob appears whole or not at all.
 *
 * Blobs are collected by age: `put` and `keep` make one young, whoever else is about to collect it, so that what is
 * in use and not noted anywhere yet is safe for as long as the collector leaves young blobs alone.
 */
export type ResourceStore = {
  put(source: Uint8Array | ReadableStream<Uint8Array>, options: { readonly maxBytes: number }): Promise<StoredBlob>;
  /** The bytes, or null when there is no such blob. */
  get(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  stat(sha256: string): Promise<StoredBlob | null>;
  /** Makes a blob young; false when there is none of that hash, now or by the time it is asked for. */
  keep(sha256: string): Promise<boolean>;
  /** All blobs, in no order. What comes and goes meanwhile may be missing. */
  list(): AsyncIterable<ListedBlob>;
  /** Removes a blob unless it was touched at or after that time, also while this runs. Tells whether it was removed. */
  collect(sha256: string, touchedBefore: number): Promise<boolean>;
};

/** A file that a plugin left in the directory the core gave it, opened safely (§19.1). */
export type LocalFile = {
  readonly sizeBytes: number;
  /** Best a byte stream, which a store reads with one piece of memory for the whole of it. */
  stream(): ReadableStream<Uint8Array>;
  close(): Promise<void>;
};

export type LocalFileRefusal = 'not-found' | 'absolute' | 'outside-root' | 'not-a-file' | 'not-readable';

/** The regular files below a directory; links and whatever else is no file are counted, never followed. */
export type LocalListing = {
  /** Paths relative to the directory, with `/`, in the order of their characters. */
  readonly files: readonly string[];
  readonly skipped: number;
};

/** Opens files below one root; a path that leads out of it by any means is refused. */
export type LocalFiles = {
  open(root: string, relativePath: string): Promise<LocalFile | LocalFileRefusal>;
  /** What is in a directory, its folders included. With more than `maxEntries` in it, `'too-many'`. */
  list(
    root: string,
    relativePath: string,
    options: { readonly maxEntries: number },
  ): Promise<LocalListing | LocalFileRefusal | 'not-a-directory' | 'too-many'>;
};
