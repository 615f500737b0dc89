/** A copy of some bytes, as a message to a thread carries it. */
export type CopiedBytes = { readonly buffer: ArrayBuffer; readonly transfer: ArrayBuffer[] };

/** Handing a small buffer over costs more than copying it once more. */
const WORTH_HANDING_OVER = 64 * 1024;

/**
 * A buffer and not a view: Deno looks at every element of a view that is sent to a worker, 0.1 s for each megabyte,
 * and a view takes the whole of its buffer along.
 */
export const copiedBytes = (bytes: Uint8Array): CopiedBytes => {
  // Not `slice`: that of a Buffer copies nothing.
  const { buffer } = new Uint8Array(bytes);
  return { buffer, transfer: buffer.byteLength > WORTH_HANDING_OVER ? [buffer] : [] };
};
