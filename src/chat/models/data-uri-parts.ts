/** A data URI in Base64, taken apart without decoding it; null for everything else. Media types are in lower case. */
export const dataUriParts = (uri: string): { readonly mimeType: string; readonly base64: string } | null => {
  if (!/^data:/i.test(uri)) return null;
  const comma = uri.indexOf(',');
  const head = uri.slice(5, comma === -1 ? 0 : comma);
  const match = /^([\w.+-]+\/[\w.+-]+)(?:;[^;,]*)*;base64$/i.exec(head.slice(0, 512));
  const [, mimeType] = match ?? [];
  return mimeType === undefined ? null : { mimeType: mimeType.toLowerCase(), base64: uri.slice(comma + 1) };
};
