import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfiguration, type LoadedConfiguration } from '../../src/server/configuration.ts';

/** The env file in the working directory. */
export const configurationFile = (): string => resolve('config.env');

/** The environment over `config.env` in the working directory. */
export const readConfiguration = (environment: NodeJS.ProcessEnv): LoadedConfiguration => {
  const file = configurationFile();
  const variables = existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  return loadConfiguration({ ...variables, ...environment });
};
