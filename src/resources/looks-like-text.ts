/** Bytes that no text has (WHATWG MIME Sniffing, "binary data byte"); a colour code of a terminal begins with one that some have. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/** Whether the first bytes of a file are UTF-8 without control characters. A character may be cut off at their end. */
export const looksLikeText = (head: Uint8Array): boolean => {
  try {
    return !BINARY.test(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }));
  } catch {
    return false;
  }
};
