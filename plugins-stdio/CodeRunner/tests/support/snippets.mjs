import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { runSnippet } from '../../run-snippet.mjs';
import { findIsolation } from '../../sandbox/isolation.mjs';

// A directory for temporary files of its own, to see what is left in it.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'code-runner-tests-'));
after(() => rmSync(process.env.TMPDIR, { recursive: true, force: true }));

/** False, or the reason to skip what needs a sandbox. */
export const needsIsolation = (await findIsolation()).isolate === null ? 'needs user namespaces and util-linux' : false;
const PATIENCE_MS = 30_000;

const run = async (t, command, args, { signal = new AbortController().signal, requireIsolation = false } = {}) => {
  const resourceDir = mkdtempSync(join(tmpdir(), 'code-runner-test-'));
  t.after(() => rmSync(resourceDir, { recursive: true, force: true }));
  const call = { deadline: new Date(Date.now() + 120_000), resourceDir, signal };
  const result = await runSnippet(command, { timeoutMs: PATIENCE_MS, ...args }, call, { requireIsolation });
  return { ...result, read: (id) => readFileSync(join(resourceDir, id)) };
};
export const python = (t, code, args, options) => run(t, 'RunPython', { code, ...args }, options);
export const javascript = (t, code, args, options) => run(t, 'RunJavaScript', { code, ...args }, options);
export const withCode = (code) => (error) => error.code === code;

/** The command lines of this machine's processes that hold a text. */
export const commandsWith = (text) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));
