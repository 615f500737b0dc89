import { loadConfiguration, type Configuration, type LoadedConfiguration } from '../../src/server/configuration.ts';
import { EDGE_DEFAULTS } from './edge-defaults.ts';
import { readKeys, type KeyedConfiguration } from './read-keys.ts';

export type ReceiverConfiguration =
  | (KeyedConfiguration & { readonly publicKeys: NonNullable<Configuration['VCP_TASK_PUBLIC_KEYS']> })
  | Extract<LoadedConfiguration, { ok: false }>;

/** The configuration of a receiver: the variables of a server, of which it needs the key of its inbox and public keys. */
export const readReceiverConfiguration = (variables: Readonly<Record<string, string>>): ReceiverConfiguration => {
  const loaded = loadConfiguration({ ...EDGE_DEFAULTS, ...variables });
  if (!loaded.ok) return loaded;
  const { errors, apiKey, keys } = readKeys(loaded);
  const { VCP_TASK_PUBLIC_KEYS: publicKeys } = loaded.configuration;
  if (publicKeys === undefined) return { ok: false, errors: [...errors, NO_PUBLIC_KEYS] };
  return errors.length > 0 ? { ok: false, errors } : { ...loaded, apiKey, publicKeys, keys };
};

const NO_PUBLIC_KEYS = {
  name: 'VCP_TASK_PUBLIC_KEYS',
  message: 'is not set; "vcp edge build --receiver" writes it into a new wrangler.toml',
};
