import { incrementBase32 } from 'ulid';
import { ID_PREFIXES, type IdKind } from '../protocol/ids.ts';

/** The id of the kind that sorts next behind another one, for what other clocks have gone ahead with. */
export const idAfter = (kind: IdKind, id: string): string =>
  ID_PREFIXES[kind] + incrementBase32(id.slice(ID_PREFIXES[kind].length));
