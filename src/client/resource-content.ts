/** The bytes of a resource, not read yet. */
export type ResourceContent = {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** The header that names the file (RFC 6266). */
  readonly contentDisposition: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string | null;
};
