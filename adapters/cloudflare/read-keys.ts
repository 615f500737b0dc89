import { describeIssues } from '../../src/lib/issue.ts';
import type { ConfigurationNote, LoadedConfiguration } from '../../src/server/configuration.ts';
import { createKeyRing, NO_KEYS, type KeyRing } from '../../src/server/key-ring.ts';
import { readApiKeys } from '../../src/server/read-api-keys.ts';

/** A configuration that says whom the worker lets in. */
export type KeyedConfiguration = Extract<LoadedConfiguration, { ok: true }> & Keys;

type Keys = { readonly apiKey: string; readonly keys: KeyRing };

export type ReadKeys = Keys & {
  /** Why the rest is not to be used, where there are any. */
  readonly errors: readonly ConfigurationNote[];
};

/** Whom a worker lets in: its keys have to be given, since it keeps no files. */
export const readKeys = ({ configuration, limits }: Extract<LoadedConfiguration, { ok: true }>): ReadKeys => {
  const { VCP_API_KEY: apiKey, VCP_API_KEYS: keysText } = configuration;
  const read = keysText === undefined ? { ok: true as const, file: NO_KEYS } : readApiKeys(keysText, limits);
  return {
    errors: [
      ...(apiKey === undefined ? [missingSecret('VCP_API_KEY')] : []),
      ...(read.ok ? [] : [{ name: 'VCP_API_KEYS', message: describeIssues(read.issues) }]),
    ],
    apiKey: apiKey ?? '',
    keys: createKeyRing(read.ok ? read.file : NO_KEYS),
  };
};

export const missingSecret = (name: string): ConfigurationNote => ({
  name,
  message: `is not set; "wrangler secret put ${name}" sets it`,
});
