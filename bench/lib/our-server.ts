import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerCommand } from './server-process.ts';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
const benchEchoModule = new URL('../http-call/plugins/BenchEcho/bench-echo.mjs', import.meta.url);

/** A made-up key for servers that live as long as one run. */
export const apiKey = randomBytes(24).toString('hex');

/** How our server is started unless `--ours "<command>"` says otherwise; run in the repository's root. */
export const defaultOurCommand = `${process.execPath} adapters/node/cli.ts serve`;

/** More than any run asks for, so that a limit is kept and counted and never reached. */
const rateLimit = { requests: 1_000_000, windowSeconds: 1 };

/** The one key of the server, as an operator would hand it to an application: hashed, limited in all and for one tool. */
const keysFile = {
  version: 1,
  defaultKey: false,
  keys: [
    {
      id: 'key_bench',
      name: 'bench',
      sha256: createHash('sha256').update(apiKey).digest('hex'),
      roles: ['human'],
      rateLimit,
      toolRateLimits: { BenchEcho: rateLimit },
      createdAt: '2026-11-30T00:00:00.000Z',
    },
  ],
};

/**
 * Our server with the benchmark's plugin, in its shipped configuration otherwise: nothing is turned off for the run,
 * and what many leave out, a file of keys with rate limits, is there.
 */
export function ourServer(command: string, dataDirectory: string, pluginDirectories: string): ServerCommand {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDirectory, 'keys.json'), JSON.stringify(keysFile), { mode: 0o600 });
  const trustedModule = createHash('sha256').update(readFileSync(benchEchoModule)).digest('hex');
  return {
    command: command.split(' '),
    cwd: repositoryRoot,
    env: (port) => ({
      VCP_PORT: String(port),
      VCP_DATA_DIR: dataDirectory,
      VCP_PLUGIN_DIRS: pluginDirectories,
      VCP_TRUSTED_MODULES: trustedModule,
    }),
  };
}
