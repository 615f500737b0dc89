import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { countVitest, type Counts } from './count-vitest.ts';
import { commandFile, listFiles, root } from './repository.ts';

export interface TestRunner {
  readonly name: string;
  readonly command: string;
  /** Given the file in which the runner leaves its report. */
  readonly args: (report: string) => string[];
  /** Given the report's text. */
  readonly count: (report: string) => Counts;
  readonly env?: Record<string, string>;
  /** Why this machine cannot start it at all. */
  readonly missing?: string;
}

/** Deno's cache stays inside the repository's own folders: a home directory may be missing or read-only. */
const DENO_ENVIRONMENT = { DENO_DIR: join(root, 'node_modules/.cache/deno'), DENO_NO_UPDATE_CHECK: '1' };

const node = process.execPath;
const vitest = commandFile('vitest', 'vitest');
const readCounts = (report: string): Counts => JSON.parse(report) as Counts;
const vitestArgs = (report: string): string[] => [
  '--reporter=minimal',
  '--reporter=json',
  `--outputFile.json=${report}`,
];

/** The conformance scenarios that another runtime's server is asked; each has a line of its own. */
const ELSEWHERE = { deno: 'test/conformance/deno.test.ts', workerd: 'test/conformance/workerd.test.ts' } as const;

/** All tests under test/, or those that `filters` (arguments of vitest) choose. */
export const vitestOnNode = (filters: readonly string[]): TestRunner => ({
  name: 'node',
  command: node,
  args: (report) => [vitest, 'run', ...vitestArgs(report), ...filters],
  count: countVitest,
});

/** A server on another runtime, asked from here. */
const conformanceOf = (runtime: keyof typeof ELSEWHERE): TestRunner => ({
  ...vitestOnNode([ELSEWHERE[runtime]]),
  name: `${runtime}, conformance`,
  env: DENO_ENVIRONMENT,
});

const vitestOnDeno: TestRunner = {
  name: 'deno',
  command: node,
  args: (report) => {
    const deno = [commandFile('deno', 'deno'), 'run', '-A', 'npm:vitest', 'run'];
    return [...deno, ...vitestArgs(report), '--project', 'unit', '--project', 'property'];
  },
  count: countVitest,
  env: DENO_ENVIRONMENT,
};

/** What stands on the runtime's own parts: threads and engine of the sandbox, SQLite, files, sockets. */
const CONTRACTS_ON_DENO = ['wasm', 'sqlite-', 'fs-resource-store', 'push-'].map((name) => `test/contract/${name}`);

const contractsOnDeno: TestRunner = {
  ...vitestOnDeno,
  name: 'deno, contract suites',
  args: (report) => {
    const deno = [commandFile('deno', 'deno'), 'run', '-A', 'npm:vitest', 'run'];
    return [...deno, ...vitestArgs(report), '--project', 'contract', ...CONTRACTS_ON_DENO];
  },
};

const vitestInWorkerd = (name: string, filters: readonly string[]): TestRunner => ({
  name,
  command: node,
  args: (report) => [vitest, 'run', '--config', 'vitest.workers.config.ts', ...vitestArgs(report), ...filters],
  count: countVitest,
  env: { WRANGLER_SEND_METRICS: 'false' },
});

/** Python plugins bring their tests along. */
function pythonRunner(plugin: string): TestRunner {
  const isPython3 = ['-c', 'import sys; sys.exit(sys.version_info < (3,))'];
  const python = ['python3', 'python'].find((command) => spawnSync(command, isPython3).status === 0);
  return {
    name: `python, ${plugin.slice(plugin.lastIndexOf('/') + 1)}`,
    command: python ?? 'python3',
    args: (report) => ['test/support/run_unittest.py', plugin, report],
    count: readCounts,
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    ...(python === undefined ? { missing: 'Python 3 was not found' } : {}),
  };
}

/** So do Node plugins, for Node's own test runner: a plugin does not depend on this repository's tools. */
const nodeTestRunner = (files: readonly string[]): TestRunner => ({
  name: 'node:test',
  command: node,
  args: (report) => {
    const shown = ['--test-reporter=dot', '--test-reporter-destination=stdout'];
    const counted = ['--test-reporter=./test/support/count-reporter.mjs', `--test-reporter-destination=${report}`];
    return ['--test', '--test-concurrency=2', ...shown, ...counted, ...files];
  },
  count: readCounts,
});

/** Everything that `npm test` runs, in this order. */
export function allTestRunners(): TestRunner[] {
  const pluginTests = ['plugins-stdio', 'plugins-direct'].flatMap((folder) => listFiles(folder, /\.test\.mjs$/));
  return [
    vitestOnNode(Object.values(ELSEWHERE).flatMap((file) => ['--exclude', file])),
    vitestOnDeno,
    contractsOnDeno,
    conformanceOf('deno'),
    // A worker for each file takes four times as long as the tests, and only those of stores need it.
    vitestInWorkerd('workerd', ['--no-isolate', 'test/unit', 'test/property']),
    vitestInWorkerd('workerd, adapters', ['test/workers']),
    conformanceOf('workerd'),
    pythonRunner('plugins-stdio/SciCalculator'),
    pythonRunner('plugins-stdio/FractalRenderer'),
    nodeTestRunner(pluginTests),
  ];
}
