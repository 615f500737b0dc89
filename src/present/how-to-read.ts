/** How what a view left out is read from the stored result; with a `reader`, a model can do it too. */
export const howToRead = (resultId: string, reader: string | null = null): string =>
  `GET /v1/results/${resultId}?pointer=<pointer>&offset=<keptCount>` +
  (reader === null ? '' : `, or the tool ${reader} with resultId, pointer and offset`);
