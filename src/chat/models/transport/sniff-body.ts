import { joinBytes } from '../../../lib/bytes.ts';

export type SniffedBody = {
  /** JSON in place of a stream, markup (the page of a proxy), or what may be a stream. */
  readonly kind: 'json' | 'markup' | 'events';
  readonly first: Uint8Array;
};

const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
/** Blank bytes after which nobody waits for others. */
const MOST_BLANK = 4_096;

/**
 * What a body is, by its first character: servers and proxies answer a request for a stream with JSON or a page, under
 * any content type. `read` gives the next bytes, or undefined at the end.
 */
export const sniffBody = async (read: () => Promise<Uint8Array | undefined>): Promise<SniffedBody> => {
  const pieces: Uint8Array[] = [];
  let blank = 0;
  for (;;) {
    const bytes = await read();
    if (bytes === undefined) return { kind: 'events', first: joinBytes(pieces) };
    pieces.push(bytes);
    const telling = bytes.find((byte) => !BLANK.has(byte));
    blank += bytes.length;
    if (telling === undefined && blank <= MOST_BLANK) continue;
    return { kind: kindOf(telling), first: pieces.length === 1 ? bytes : joinBytes(pieces) };
  }
};

const kindOf = (character: number | undefined): SniffedBody['kind'] => {
  if (character === 0x7b || character === 0x5b) return 'json';
  return character === 0x3c ? 'markup' : 'events';
};
