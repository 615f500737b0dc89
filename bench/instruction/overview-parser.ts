/**
 * What the overview's two regular expressions make of a whole text. They know no code, quotes, thoughts or escaped values,
 * and cannot take a text in pieces.
 */
export const overviewParser = (text: string): number => {
  const calls = /<<<\[TOOL_REQUEST\]>>>(.*?)<<<\[END_TOOL_REQUEST\]>>>/gs;
  let fields = 0;
  for (const [, body = ''] of text.matchAll(calls)) {
    for (const [, key = ''] of body.matchAll(/([\w-]+)[:：]「始」(.*?)「末」/gs)) fields += key.length;
  }
  return fields;
};
