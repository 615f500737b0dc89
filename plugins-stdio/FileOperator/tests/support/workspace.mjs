import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createProcessLocks } from '../../../lib/process-locks.mjs';
import { commands } from '../../commands.mjs';

export const pluginDirectory = join(import.meta.dirname, '..', '..');

/** A root of its own, removed when the test has ended, with the commands at hand. */
export function workspace(test, { roots = [] } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'file-operator-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, 'data', 'files');
  mkdirSync(root, { recursive: true });
  const context = {
    roots: [{ name: 'files', path: root, readOnly: false }, ...roots],
    locks: createProcessLocks(join(directory, 'data', 'locks')),
  };
  const at = (path) => join(root, path);
  return {
    directory,
    dataDirectory: join(directory, 'data'),
    root,
    at,
    put: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    bytes: (path) => readFileSync(at(path)),
    run: async (command, args, { milliseconds = 60_000, signal = new AbortController().signal } = {}) => {
      const resourceDir = mkdtempSync(join(directory, 'call-'));
      const deadline = new Date(Date.now() + milliseconds);
      return await commands[command](context, { root: 'files', ...args }, { deadline, signal, resourceDir });
    },
  };
}

/** The code of the error that a call comes to, or its status. */
export async function outcome(call) {
  return await call.then(
    ({ status = 'success' }) => status,
    ({ code }) => code,
  );
}

/** Runs the plugin's own process once and resolves with its payload. */
export async function callProcess(
  dataDirectory,
  args,
  { shellPrefix, resourceDir = dataDirectory, environment = {} } = {},
) {
  const program = [process.execPath, 'main.mjs'];
  const [command, commandArgs] =
    shellPrefix === undefined
      ? [program[0], program.slice(1)]
      : ['sh', ['-c', `${shellPrefix}; exec "$0" "$@"`, ...program]];
  const child = spawn(command, commandArgs, {
    cwd: pluginDirectory,
    env: { PATH: process.env.PATH, VCP_PLUGIN_DATA_DIR: dataDirectory, ...environment },
  });
  const context = { invocationId: 'ti_test', resourceDir, deadline: new Date(Date.now() + 60_000).toISOString() };
  const payload = { command: args.command, arguments: args, context };
  child.stdin.end(`${JSON.stringify({ vcp: 'tool-invocation', version: '1.0', payload })}\n`);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  const exit = await new Promise((resolve) => child.on('close', resolve));
  if (exit !== 0) throw new Error(`exit ${exit}: ${stderr}`);
  return JSON.parse(stdout).payload;
}
