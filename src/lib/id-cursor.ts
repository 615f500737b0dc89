import { ID_PREFIXES, type IdKind } from '../protocol/ids.ts';
import { InvalidCursor } from './record-cursor.ts';

/** Ids sort by time, so the last id of a page is where the next one starts. */
export const idCursor = (lastId: string): string => `after:${lastId}`;

/** The id of the kind that a cursor stands for. Throws `InvalidCursor`. */
export const readIdCursor = (kind: IdKind, cursor: string): string => {
  const id = new RegExp(`^after:(${ID_PREFIXES[kind]}[0-9A-Z]{26})$`).exec(cursor)?.[1];
  if (id === undefined) throw new InvalidCursor('the cursor is not one that a page of these gave');
  return id;
};
