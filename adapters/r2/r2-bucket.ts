/** The few methods of a Cloudflare R2 binding that we call; the caller hands the binding in. */
export type R2BucketLike = {
  head(key: string): Promise<R2ObjectLike | null>;
  get(
    key: string,
    options?: { readonly range?: { readonly offset: number; readonly length: number } },
  ): Promise<(R2ObjectLike & { readonly body: ReadableStream<Uint8Array> }) | null>;
  put(
    key: string,
    value: ReadableStream<Uint8Array> | Uint8Array | string,
    options?: { readonly sha256?: string },
  ): Promise<R2ObjectLike | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options: { readonly prefix: string; readonly cursor?: string; readonly limit?: number }): Promise<R2ListLike>;
  createMultipartUpload(key: string): Promise<R2UploadLike>;
};

export type R2ObjectLike = { readonly key: string; readonly size: number; readonly uploaded: Date };

export type R2ListLike = {
  readonly objects: readonly R2ObjectLike[];
  readonly truncated: boolean;
  readonly cursor?: string;
};

export type R2UploadLike = {
  uploadPart(number: number, value: Uint8Array): Promise<R2PartLike>;
  complete(parts: R2PartLike[]): Promise<R2ObjectLike>;
  abort(): Promise<void>;
};

export type R2PartLike = { readonly partNumber: number; readonly etag: string };
