import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createVcpClient, type VcpClient } from '../../../src/client/vcp-client.ts';
import { KEY_FILE } from '../api-key.ts';
import { readConfiguration } from '../read-configuration.ts';
import { UsageError } from './exit.ts';

export type ConnectOptions = { readonly url?: string; readonly key?: string };

/** A client of the server that the options, the environment and the data directory point at, in that order. */
export const connect = (options: ConnectOptions): VcpClient => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok)
    throw new UsageError(
      `the configuration is not valid: ${loaded.errors.map(({ name, message }) => `${name} ${message}`).join('; ')}`,
    );
  const { configuration } = loaded;
  const host =
    configuration.VCP_HOST === '0.0.0.0' || configuration.VCP_HOST === '::' ? '127.0.0.1' : configuration.VCP_HOST;
  const endpoint =
    options.url ??
    process.env['VCP_URL'] ??
    `http://${host.includes(':') ? `[${host}]` : host}:${configuration.VCP_PORT}`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new UsageError(`"${endpoint}" is not the address of a server; give one such as http://127.0.0.1:6005`);
  }
  return createVcpClient({
    endpoint,
    apiKey: options.key ?? configuration.VCP_API_KEY ?? storedKey(configuration.VCP_DATA_DIR),
  });
};

const storedKey = (dataDirectory: string): string => {
  const path = join(dataDirectory, KEY_FILE);
  if (!existsSync(path)) throw new UsageError(`there is no key: set VCP_API_KEY, give --key, or run where ${path} is`);
  return readFileSync(path, 'utf8').trim();
};
