import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { openD1Database } from '../d1/d1-database.ts';
import { createR2ResourceStore } from '../r2/r2-resource-store.ts';
import { openWorkerEvents } from './events/open-worker-events.ts';
import { createWorkerGuardedFetch } from './guarded-fetch.ts';
import type { KeyedConfiguration } from './read-keys.ts';
import { newHash } from './running-hash.ts';
import { storeChecks } from './store-checks.ts';
import type { OpenWorkerOptions } from './worker-life.ts';

/** What every worker is made of, whatever it serves. */
export const openParts = ({
  bindings,
  configuration: { configuration, limits, apiKey, keys },
  clock,
  logger,
}: Pick<OpenWorkerOptions<KeyedConfiguration>, 'bindings' | 'configuration' | 'clock' | 'logger'>) => {
  const { db, writer } = openD1Database(bindings.DATABASE);
  const authenticator = createKeysAuthenticator(apiKey, { current: () => keys }, clock);
  return {
    db,
    writer,
    blobs: createR2ResourceStore({ bucket: bindings.RESOURCES, newHash, newName: () => crypto.randomUUID() }),
    ids: createUlidIds(clock.now),
    authenticator,
    ...openWorkerEvents({ objects: bindings.EVENTS ?? null, identities: authenticator, limits, logger }),
    guardedFetch: createWorkerGuardedFetch({
      fetch: (url, init) => fetch(url, init),
      allowed: configuration.VCP_OPEN_NETWORKS.flatMap((text) => parseAddressRange(text) ?? []),
    }),
    readinessChecks: storeChecks(db, bindings.RESOURCES),
  };
};
