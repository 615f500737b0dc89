import {
  loadConfiguration,
  type Configuration,
  type ConfigurationNote,
  type LoadedConfiguration,
} from '../../src/server/configuration.ts';
import { EDGE_DEFAULTS } from './edge-defaults.ts';
import { missingSecret, readKeys, type KeyedConfiguration } from './read-keys.ts';

export type WorkerConfiguration =
  | (KeyedConfiguration & { readonly signingKeys: readonly [string, ...string[]] })
  | Extract<LoadedConfiguration, { ok: false }>;

/**
 * The configuration of a worker: the same variables as everywhere, and what is made at the first start elsewhere has to
 * be given, since a worker keeps no files.
 */
export const readWorkerConfiguration = (variables: Readonly<Record<string, string>>): WorkerConfiguration => {
  const loaded = loadConfiguration({ ...EDGE_DEFAULTS, ...variables });
  if (!loaded.ok) return loaded;
  const { errors, apiKey, keys } = readKeys(loaded);
  const [first, ...others] = loaded.configuration.VCP_SIGNING_KEY;
  if (first === undefined) return { ok: false, errors: [...errors, missingSecret('VCP_SIGNING_KEY')] };
  if (errors.length > 0) return { ok: false, errors };
  const warnings = [...loaded.warnings, ...unheeded(loaded.configuration)];
  return { ...loaded, warnings, apiKey, signingKeys: [first, ...others], keys };
};

/** Who sets it waits for callbacks that never come. */
const unheeded = ({ VCP_INBOX_URL }: Configuration): readonly ConfigurationNote[] =>
  VCP_INBOX_URL === undefined
    ? []
    : [{ name: 'VCP_INBOX_URL', message: 'is not heeded: a worker is never away, and asks no receiver' }];
