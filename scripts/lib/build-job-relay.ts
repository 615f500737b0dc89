import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPlugin } from '../../adapters/node/plugin-build/build-plugin.ts';
import { root } from './repository.ts';

/** Builds examples/sandboxed/JobRelay into a directory of plugins, for a service at this port of this machine. */
export const buildJobRelay = async (directory: string, port: number): Promise<void> => {
  const folder = join(directory, 'JobRelay');
  cpSync(join(root, 'examples/sandboxed/JobRelay'), folder, { recursive: true });
  const file = join(folder, 'plugin-manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { permissions: { http: { allow: object[] } } };
  manifest.permissions.http.allow = [{ scheme: 'http', host: '127.0.0.1', port, methods: ['POST'] }];
  writeFileSync(file, JSON.stringify(manifest));
  writeFileSync(join(folder, 'config.env'), `JOB_SERVICE_URL=http://127.0.0.1:${port}/jobs\n`, { mode: 0o600 });
  await buildPlugin(folder);
};
