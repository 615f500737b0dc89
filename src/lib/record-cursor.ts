/** Raised for a cursor that no page gave out. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** Record ids sort by time, so the last id of a page is where the next one starts. */
export const recordCursor = (lastId: string): string => `after:${lastId}`;

/** The id that a cursor stands for. Throws `InvalidCursor`. */
export const readRecordCursor = (cursor: string): string => {
  const id = /^after:(tcr_[0-9A-Z]{26})$/.exec(cursor)?.[1];
  if (id === undefined) throw new InvalidCursor('the cursor is not one that a page of records gave');
  return id;
};
