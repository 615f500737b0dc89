import { describeIssues } from '../../src/lib/issue.ts';
import { loadConfiguration, type Configuration, type LoadedConfiguration } from '../../src/server/configuration.ts';
import { createKeyRing, NO_KEYS, type KeyRing } from '../../src/server/key-ring.ts';
import { readApiKeys } from '../../src/server/read-api-keys.ts';

export type ReceiverConfiguration =
  | (Extract<LoadedConfiguration, { ok: true }> & {
      readonly apiKey: string;
      readonly keys: KeyRing;
      readonly publicKeys: NonNullable<Configuration['VCP_TASK_PUBLIC_KEYS']>;
    })
  | Extract<LoadedConfiguration, { ok: false }>;

/** The configuration of a receiver: the variables of a server, of which it needs the key of its inbox and public keys. */
export const readReceiverConfiguration = (variables: Readonly<Record<string, string>>): ReceiverConfiguration => {
  const loaded = loadConfiguration(variables);
  if (!loaded.ok) return loaded;
  const { VCP_API_KEY: apiKey, VCP_API_KEYS: keysText, VCP_TASK_PUBLIC_KEYS: publicKeys } = loaded.configuration;
  if (apiKey === undefined || publicKeys === undefined) {
    const key = { name: 'VCP_API_KEY', message: 'is not set; "wrangler secret put VCP_API_KEY" sets it' };
    const keys = {
      name: 'VCP_TASK_PUBLIC_KEYS',
      message: 'is not set; "vcp edge build --receiver" writes it into a new wrangler.toml',
    };
    return { ok: false, errors: [...(apiKey === undefined ? [key] : []), ...(publicKeys === undefined ? [keys] : [])] };
  }
  const read = keysText === undefined ? { ok: true as const, file: NO_KEYS } : readApiKeys(keysText, loaded.limits);
  if (!read.ok) return { ok: false, errors: [{ name: 'VCP_API_KEYS', message: describeIssues(read.issues) }] };
  return { ...loaded, apiKey, publicKeys, keys: createKeyRing(read.file) };
};
