export type DecodedBase64 =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: string };

type WithFromBase64 = { fromBase64?: (text: string, options: { lastChunkHandling: 'strict' }) => Uint8Array };

/**
 * Strict RFC 4648 Base64: the standard alphabet, correct padding, no white space. A text that is nearly Base64 is
 * refused with a reason rather than guessed at.
 */
export const decodeBase64 = (text: string): DecodedBase64 => {
  if (text.length % 4 !== 0) return { ok: false, reason: `its length ${text.length} is not a multiple of 4` };
  const native = (Uint8Array as WithFromBase64).fromBase64;
  try {
    const bytes = native ? native.call(Uint8Array, text, { lastChunkHandling: 'strict' }) : decodeByAtob(text);
    // Both skip white space, and then there are fewer bytes than so many characters give.
    if (bytes.length === (text.length / 4) * 3 - paddingOf(text)) return { ok: true, bytes };
  } catch {
    // Looked into below: a text that can be decoded is not read twice.
  }
  return { ok: false, reason: faultOf(text) };
};

const paddingOf = (text: string): number => (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);

const faultOf = (text: string): string => {
  const wrong = /[^A-Za-z0-9+/=]/.exec(text);
  if (wrong === null) return 'its padding is wrong';
  const hint = /[-_]/.test(wrong[0]) ? ' (this is the URL-safe alphabet; use the standard one)' : '';
  return `character ${wrong.index} is not of the Base64 alphabet${hint}`;
};

/** Node 24 has no `Uint8Array.fromBase64`. */
const decodeByAtob = (text: string): Uint8Array => {
  const binary = atob(text);
  // `atob` forgives bits that the padding leaves over; the native decoder does not.
  if (text.endsWith('=') && btoa(binary.slice(-(binary.length % 3))) !== text.slice(-4))
    throw new SyntaxError('bits are left over');
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
};
