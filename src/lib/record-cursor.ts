/** Raised for a cursor that no page gave out. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** Ids of one kind sort by time, so the last id of a page is where the next one starts. */
export const recordCursor = (lastId: string): string => `after:${lastId}`;

/** The id of a record that a cursor stands for. Throws `InvalidCursor`. */
export const readRecordCursor = (cursor: string): string => {
  const id = /^after:(tcr_[0-9A-Z]{26})$/.exec(cursor)?.[1];
  if (id === undefined) throw new InvalidCursor('the cursor is not one that a page of records gave');
  return id;
};

/** The id of a task that a cursor stands for. Throws `InvalidCursor`. */
export const readTaskCursor = (cursor: string): string => {
  const id = /^after:(task_[0-9A-Z]{26})$/.exec(cursor)?.[1];
  if (id === undefined) throw new InvalidCursor('the cursor is not one that a page of tasks gave');
  return id;
};

/** The id of an approval that a cursor stands for. Throws `InvalidCursor`. */
export const readApprovalCursor = (cursor: string): string => {
  const id = /^after:(apr_[0-9A-Z]{26})$/.exec(cursor)?.[1];
  if (id === undefined) throw new InvalidCursor('the cursor is not one that a page of approvals gave');
  return id;
};
