import process from 'node:process';
import type { LoadedConfiguration } from '../../../src/server/configuration.ts';
import { readConfiguration } from '../read-configuration.ts';
import { UsageError } from './exit.ts';

/** The configuration as it is here and now; raises UsageError, with every fault, for one that is not valid. */
export const usableConfiguration = (): LoadedConfiguration & { readonly ok: true } => {
  const loaded = readConfiguration(process.env);
  if (loaded.ok) return loaded;
  const faults = loaded.errors.map(({ name, message }) => `${name} ${message}`).join('; ');
  throw new UsageError(`the configuration is not valid: ${faults}`);
};
