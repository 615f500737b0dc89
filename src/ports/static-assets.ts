/** A file that is handed out as it is. `etag` changes whenever its bytes do, quotes included. */
export type StaticAsset = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  readonly etag: string;
};

/** A fixed set of files by name; from a disk, a bundle, or a store at the edge. */
export type StaticAssets = { get(name: string): Promise<StaticAsset | null> };
