import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join, sep } from 'node:path';
import process from 'node:process';
import type { Configuration } from '../../../src/server/configuration.ts';
import { KEY_FILE } from '../api-key.ts';
import { configurationFile, isFromFile } from '../read-configuration.ts';
import { UsageError } from './exit.ts';

/**
 * Where a request goes, and who said so: `--url` or VCP_URL (`named`), `config.env` of the working directory (`file`),
 * or the environment and the defaults.
 */
export type ServerAddress = { readonly url: URL; readonly origin: 'named' | 'file' | 'environment' };

/**
 * The key for a server: the given one, the configured one, the one that the data directory keeps. Raises UsageError
 * where it would reach somebody that it is not for: a directory may be a stranger's, and its `config.env` too.
 */
export const chooseKey = (
  given: string | undefined,
  { VCP_API_KEY: configured, VCP_DATA_DIR }: Configuration,
  { url, origin }: ServerAddress,
  isUnasked: boolean,
): string => {
  const path = join(VCP_DATA_DIR, KEY_FILE);
  const known = given ?? configured;
  if (isUnasked && origin === 'file') {
    const isOfFile =
      given === undefined && (configured === undefined ? liesHere(path) : isFromFile('VCP_API_KEY', process.env));
    if (!isOfFile) throw new UsageError(`${configurationFile()} names the server, and the key is from elsewhere`);
  }
  if (known !== undefined) return known;
  if (!existsSync(path)) throw new UsageError(`there is no key: set VCP_API_KEY, give --key, or run where ${path} is`);
  // Any port of this machine: a server with VCP_PORT=0 has one that no configuration tells.
  const belongs = isLoopback(url) || origin === 'environment' || (origin === 'file' && liesHere(path));
  if (!belongs) {
    throw new UsageError(
      `${path} is the key of the server on this machine and is not sent to ${url.origin}; give the key of that server by --key or VCP_API_KEY`,
    );
  }
  return readFileSync(path, 'utf8').trim();
};

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));

/** Whether a file lies below the working directory, whatever links lead to it. */
const liesHere = (path: string): boolean =>
  existsSync(path) && realpathSync(path).startsWith(join(realpathSync('.'), sep));
