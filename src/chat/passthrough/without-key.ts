/** Keys that are shorter are the placeholders of local servers, such as `none`, and words of messages. */
const SHORTEST_SECRET = 8;

/** The bytes, every one of the key in them replaced by an asterisk: some servers quote in an error what they were sent. */
export const withoutKey = (bytes: Uint8Array<ArrayBuffer>, key: string | null): Uint8Array<ArrayBuffer> => {
  if (key === null || key.length < SHORTEST_SECRET) return bytes;
  const sought = new TextEncoder().encode(key);
  const first = sought[0] as number;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (sought.every((byte, index) => bytes[at + index] === byte)) bytes.fill(0x2a, at, at + sought.length);
  }
  return bytes;
};
