import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfiguration, type LoadedConfiguration } from '../../src/server/configuration.ts';

/** The env file in the working directory. */
export const configurationFile = (): string => resolve('config.env');

/** The environment over `config.env` in the working directory, over what is usual where that differs from elsewhere. */
export const readConfiguration = (
  environment: NodeJS.ProcessEnv,
  defaults: Readonly<Record<string, string>> = {},
): LoadedConfiguration => loadConfiguration({ ...defaults, ...fileVariables(), ...environment });

/** Whether it is `config.env`, and not the environment, that gives the variable its value. */
export const isFromFile = (name: string, environment: NodeJS.ProcessEnv): boolean =>
  environment[name] === undefined && (fileVariables()[name] ?? '') !== '';

const fileVariables = (): Record<string, string> => {
  const file = configurationFile();
  return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) : {};
};
