import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendants } from '../lib/process-stats.ts';
import { apiKey, repositoryRoot } from '../lib/our-server.ts';
import { startServer } from '../lib/server-process.ts';
import { startWorker } from '../../test/support/workerd/start-worker.ts';

export const pluginDirectories = [
  join(repositoryRoot, 'plugins-wasm'),
  fileURLToPath(new URL('../http-call/plugins', import.meta.url)),
];
export const trustedModule = createHash('sha256')
  .update(readFileSync(new URL('../http-call/plugins/BenchEcho/bench-echo.mjs', import.meta.url)))
  .digest('hex');

/** A server that runs, with an empty store of its own. */
export interface RunningServer {
  baseUrl: string;
  pid: number;
  /** Milliseconds from the start of its process to its first answer. */
  startMs: number;
  stop(): Promise<void>;
}

export interface EdgeRuntime {
  id: string;
  label: string;
  start(directory: string): Promise<RunningServer>;
}

/** Often enough for what takes a third of a second. */
const POLL_MS = 5;

const variables = { VCP_API_KEY: apiKey, VCP_LOG_LEVEL: 'info' };

const asProcess =
  (command: (dataDirectory: string) => string[], environment: Record<string, string> = {}): EdgeRuntime['start'] =>
  (directory) => {
    const dataDirectory = join(directory, 'data');
    mkdirSync(dataDirectory, { mode: 0o700 });
    return startServer({
      command: command(dataDirectory),
      cwd: repositoryRoot,
      env: (port) => ({
        ...variables,
        ...environment,
        VCP_PORT: String(port),
        VCP_DATA_DIR: dataDirectory,
        VCP_PLUGIN_DIRS: pluginDirectories.join(','),
        VCP_TRUSTED_MODULES: trustedModule,
      }),
      pollMs: POLL_MS,
    });
  };

/** The program itself, not the script that starts it. */
const denoFile = (): string =>
  (createRequire(import.meta.url)('deno/install_api.cjs') as { runInstall(): string }).runInstall();

/** As deno.json has it, with another data directory. */
const denoCommand = (dataDirectory: string): string[] => {
  const { tasks } = JSON.parse(readFileSync(join(repositoryRoot, 'deno.json'), 'utf8')) as {
    tasks: { start: string };
  };
  const [, ...words] = tasks.start.split(' ');
  return [denoFile(), ...words.map((word) => word.replace('=./data', `=${dataDirectory}`))];
};

/** What `vcp edge build` has written into the folder; `start` gives each server its own stores. */
const workerd =
  (built: string): EdgeRuntime['start'] =>
  async (directory) => {
    const started = performance.now();
    const signingKey = 'a-signing-key-for-the-benchmark-alone';
    const worker = await startWorker(built, { ...variables, VCP_SIGNING_KEY: signingKey }, join(directory, 'stores'));
    try {
      const first = await fetch(new URL('/healthz', worker.directUrl));
      if (first.status !== 200) throw new Error(`The worker answered ${first.status}: ${await first.text()}`);
      const startMs = performance.now() - started;
      const process = descendants(globalThis.process.pid).find(({ pid }) => nameOf(pid) === 'workerd');
      if (process === undefined) throw new Error('There is no process of workerd.');
      return { baseUrl: worker.directUrl.origin, pid: process.pid, startMs, stop: worker.close };
    } catch (error) {
      await worker.close();
      throw error;
    }
  };

const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** Node first: the others are measured against it. */
export const edgeRuntimes = (built: string): EdgeRuntime[] => [
  { id: 'node', label: 'Node', start: asProcess(() => [process.execPath, 'adapters/node/cli.ts', 'serve']) },
  {
    id: 'deno',
    label: 'Deno',
    start: asProcess(denoCommand, {
      DENO_DIR: process.env['DENO_DIR'] ?? join(repositoryRoot, 'node_modules/.cache/deno'),
      DENO_NO_UPDATE_CHECK: '1',
    }),
  },
  { id: 'workerd', label: 'workerd', start: workerd(built) },
];
