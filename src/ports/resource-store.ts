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

/**
 * Content-addressed bytes. Putting the same bytes twice keeps one copy; a blob appears whole or not at all.
 */
export type ResourceStore = {
  put(source: Uint8Array | ReadableStream<Uint8Array>, options: { readonly maxBytes: number }): Promise<StoredBlob>;
  /** The bytes, or null when there is no such blob. */
  get(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  stat(sha256: string): Promise<StoredBlob | null>;
};

/** A file that a plugin left in the directory the core gave it, opened safely (§19.1). */
export type LocalFile = {
  readonly sizeBytes: number;
  stream(): ReadableStream<Uint8Array>;
  close(): Promise<void>;
};

export type LocalFileRefusal = 'not-found' | 'absolute' | 'outside-root' | 'not-a-file' | 'not-readable';

/** Opens files below one root; a path that leads out of it by any means is refused. */
export type LocalFiles = {
  open(root: string, relativePath: string): Promise<LocalFile | LocalFileRefusal>;
};
