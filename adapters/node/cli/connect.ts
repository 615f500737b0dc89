import process from 'node:process';
import { createVcpClient, type VcpClient } from '../../../src/client/vcp-client.ts';
import { isFromFile } from '../read-configuration.ts';
import { chooseKey, type ServerAddress } from './choose-key.ts';
import { UsageError } from './exit.ts';
import { usableConfiguration } from './usable-configuration.ts';

export type ConnectOptions = { readonly url?: string; readonly key?: string };

/**
 * A client of the server that the options, the environment and `config.env` point at, in that order. `isUnasked`: the
 * user has not run a command yet, but only pressed Tab in some directory.
 */
export const connect = (options: ConnectOptions, { isUnasked = false } = {}): VcpClient => {
  const { configuration } = usableConfiguration();
  const { VCP_HOST, VCP_PORT } = configuration;
  const host = VCP_HOST === '0.0.0.0' || VCP_HOST === '::' ? '127.0.0.1' : VCP_HOST;
  const named = options.url ?? process.env['VCP_URL'];
  const endpoint = named ?? `http://${host.includes(':') ? `[${host}]` : host}:${VCP_PORT}`;
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${endpoint}" is not the address of a server; give one such as http://127.0.0.1:6005`);
  }
  const isOfFile = ['VCP_HOST', 'VCP_PORT'].some((name) => isFromFile(name, process.env));
  const address: ServerAddress = { url, origin: named !== undefined ? 'named' : isOfFile ? 'file' : 'environment' };
  return createVcpClient({ endpoint, apiKey: chooseKey(options.key, configuration, address, isUnasked) });
};
