import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerCommand } from './server-process.ts';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
const benchEchoModule = new URL('../http-call/plugins/BenchEcho/bench-echo.mjs', import.meta.url);

/** A made-up key for servers that live as long as one run. */
export const apiKey = randomBytes(24).toString('hex');

/** How our server is started unless `--ours "<command>"` says otherwise; run in the repository's root. */
export const defaultOurCommand = `${process.execPath} adapters/node/cli.ts serve`;

/** Our server with the benchmark's plugin, in its shipped configuration otherwise: nothing is turned off for the run. */
export function ourServer(command: string, dataDirectory: string, pluginDirectories: string): ServerCommand {
  const trustedModule = createHash('sha256').update(readFileSync(benchEchoModule)).digest('hex');
  return {
    command: command.split(' '),
    cwd: repositoryRoot,
    env: (port) => ({
      VCP_PORT: String(port),
      VCP_DATA_DIR: dataDirectory,
      VCP_API_KEY: apiKey,
      VCP_PLUGIN_DIRS: pluginDirectories,
      VCP_TRUSTED_MODULES: trustedModule,
    }),
  };
}
