import { monotonicFactory } from 'ulid';
import type { IdSource } from '../ports/id-source.ts';
import { ID_PREFIXES } from '../protocol/ids.ts';

/** Ids from one monotonic ULID factory: they increase within a process, also when the clock goes back. */
export const createUlidIds = (now: () => number): IdSource => {
  const next = monotonicFactory();
  return { next: (kind) => ID_PREFIXES[kind] + next(now()) };
};
