import type { IdKind } from '../protocol/ids.ts';

/** Makes ids of each kind, increasing in one process even when the clock goes back. */
export type IdSource = { next(kind: IdKind): string };
