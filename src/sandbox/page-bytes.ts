/** Bytes of a page of WebAssembly memory. */
export const PAGE_BYTES = 65_536;
