/** Keeps the last `maxBytes` of a stream of chunks. */
export const createTail = (maxBytes: number): { push(chunk: Uint8Array): void; text(): string } => {
  let chunks: Uint8Array[] = [];
  let length = 0;
  return {
    push: (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      while (chunks.length > 1 && length - (chunks[0] as Uint8Array).length >= maxBytes) {
        length -= (chunks.shift() as Uint8Array).length;
      }
    },
    text: () => {
      const bytes = Buffer.concat(chunks, length);
      chunks = [bytes];
      return bytes
        .subarray(Math.max(0, length - maxBytes))
        .toString('utf8')
        .trim();
    },
  };
};
