/** How what a view left out is read from the stored result; with a `reader`, a model can do it too. */
export const howToRead = (resultId: string, reader: string | null = null): string =>
  `GET /v1/results/${resultId}?pointer=<pointer>` +
  (reader === null ? '' : `, or the tool ${reader} with resultId and pointer`) +
  '; of items and characters from offset=<keptCount>, of fields by the pointers in "missing" or all from offset=0';
