import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createProcessLocks } from '../../../lib/process-locks.mjs';
import { callPlugin } from '../../../lib/tests/support/call-plugin.mjs';
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

/** Runs the plugin's own process for one call and resolves with its payload. */
export async function callProcess(dataDirectory, args, options = {}) {
  return await callPlugin(pluginDirectory, dataDirectory, args, { resourceDir: dataDirectory, ...options });
}
