import { describeIssues } from '../../src/lib/issue.ts';
import { loadConfiguration, type LoadedConfiguration } from '../../src/server/configuration.ts';
import { createKeyRing, NO_KEYS, type KeyRing } from '../../src/server/key-ring.ts';
import { readApiKeys } from '../../src/server/read-api-keys.ts';
import { EDGE_DEFAULTS } from './edge-defaults.ts';

export type WorkerConfiguration =
  | (Extract<LoadedConfiguration, { ok: true }> & {
      readonly apiKey: string;
      readonly signingKeys: readonly [string, ...string[]];
      readonly keys: KeyRing;
    })
  | Extract<LoadedConfiguration, { ok: false }>;

/**
 * The configuration of a worker: the same variables as everywhere, and what is made at the first start elsewhere has to
 * be given, since a worker keeps no files.
 */
export const readWorkerConfiguration = (variables: Readonly<Record<string, string>>): WorkerConfiguration => {
  const loaded = loadConfiguration({ ...EDGE_DEFAULTS, ...variables });
  if (!loaded.ok) return loaded;
  const { VCP_API_KEY: apiKey, VCP_API_KEYS: keysText, VCP_SIGNING_KEY: signingKeys } = loaded.configuration;
  const missing = (name: string) => ({ name, message: `is not set; "wrangler secret put ${name}" sets it` });
  const [first, ...others] = signingKeys;
  if (apiKey === undefined || first === undefined)
    return {
      ok: false,
      errors: [
        ...(apiKey === undefined ? [missing('VCP_API_KEY')] : []),
        ...(first === undefined ? [missing('VCP_SIGNING_KEY')] : []),
      ],
    };
  const read = keysText === undefined ? { ok: true as const, file: NO_KEYS } : readApiKeys(keysText, loaded.limits);
  if (!read.ok) return { ok: false, errors: [{ name: 'VCP_API_KEYS', message: describeIssues(read.issues) }] };
  return { ...loaded, apiKey, signingKeys: [first, ...others], keys: createKeyRing(read.file) };
};
