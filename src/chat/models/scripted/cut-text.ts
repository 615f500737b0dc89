/** A text in pieces: one for each word with the space before it, or so many of about the same length, never half a character. */
export const cutText = (text: string, pieces: number | 'words'): readonly string[] => {
  if (pieces === 'words') return text.match(/\s*\S+|\s+$/g) ?? [];
  const characters = [...text];
  const length = Math.max(1, Math.ceil(characters.length / pieces));
  const cut: string[] = [];
  for (let at = 0; at < characters.length; at += length) cut.push(characters.slice(at, at + length).join(''));
  return cut;
};
