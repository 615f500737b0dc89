import type { D1DatabaseLike } from '../d1/d1-database.ts';
import type { R2BucketLike } from '../r2/r2-bucket.ts';
import type { EventObjects } from './events/event-stub.ts';

/** What wrangler.toml binds: the stores by their names, and every `VCP_*` variable or secret. */
export type WorkerBindings = {
  readonly RESOURCES: R2BucketLike;
  readonly DATABASE: D1DatabaseLike;
  /** Without it, nothing is pushed. */
  readonly EVENTS?: EventObjects;
  readonly [variable: string]: unknown;
};

/** The bindings that are text, as the configuration reads them. */
export const variablesOf = (bindings: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(bindings).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
