/** Bytes that every usual file system takes, with room for a number that tells files of one name apart. */
const MOST_BYTES = 200;
/** An ending longer than this says nothing about a file. */
const LONGEST_ENDING = 16;

/**
 * A name that stays in its directory on every system, whatever it was before: no separators, no control or reserved
 * characters, no leading dot that would hide the file, no names of devices, at most 200 bytes of UTF-8 with the ending
 * kept.
 */
export const plainFileName = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    // Joiners make one sign of several, as in many emoji; the other invisible characters may disguise a name.
    .replaceAll(/[\p{Cc}<>:"|?*]|(?![\u200c\u200d])\p{Cf}/gu, '_')
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '');
  if (plain === '') return 'resource';
  const safe = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(plain) ? `_${plain}` : plain;
  const dot = safe.lastIndexOf('.');
  const ending = dot > 0 && safe.length - dot <= LONGEST_ENDING ? safe.slice(dot) : '';
  return cut(safe.slice(0, safe.length - ending.length), MOST_BYTES - bytesOf(ending)) + ending;
};

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;

/** The beginning of a text that has at most so many bytes, in whole characters. */
const cut = (text: string, mostBytes: number): string => {
  if (bytesOf(text) <= mostBytes) return text;
  let length = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > mostBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
};
