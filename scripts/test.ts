// `npm test`: every test on every runtime. One line for each runner, then the totals as the very last line.
// With arguments (`npm test -- test/unit/foo.test.ts`) vitest on Node alone runs, and gets them.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './lib/count-vitest.ts';
import { root } from './lib/repository.ts';
import { allTestRunners, vitestOnNode, type TestRunner } from './lib/test-runners.ts';

/** All runners together: a run that hangs must end with a word before a CI job is cut off without one. */
const TOTAL_LIMIT_MS = 40 * 60_000;

const isCi = ['true', '1'].includes(process.env.CI ?? '');
const reports = mkdtempSync(join(tmpdir(), 'vcp-test-'));
const deadline = Date.now() + TOTAL_LIMIT_MS;
let running: ChildProcess | null = null;

/** A runner leads a process group of its own, so that nothing of it outlives the run. */
function killGroup(child: ChildProcess | null): void {
  if (child?.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

process.on('exit', () => {
  killGroup(running);
  rmSync(reports, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Runs it to its end; tells what is wrong with that end, or null. */
async function finish(runner: TestRunner, report: string): Promise<string | null> {
  const remaining = deadline - Date.now();
  if (remaining <= 0) return 'no time was left';
  const child = spawn(runner.command, runner.args(report), {
    cwd: root,
    env: { ...process.env, ...runner.env },
    stdio: ['ignore', 'inherit', 'inherit'], // no runner may wait for a key
    detached: process.platform !== 'win32',
  });
  running = child;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child);
  }, remaining);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => {
        if (late) resolve(`stopped after ${TOTAL_LIMIT_MS / 60_000} minutes in all`);
        else resolve(code === 0 ? null : `ended with ${signal ?? `code ${code}`}`);
      });
    });
  } finally {
    clearTimeout(timer);
    killGroup(child); // grandchildren that it left behind
    running = null;
  }
}

async function run(runner: TestRunner): Promise<Counts & { note: string }> {
  const nothing = { passed: 0, failed: 0, skipped: 0 };
  if (runner.missing !== undefined) {
    // A stated skip on a user's machine; CI has to bring everything.
    return { ...nothing, [isCi ? 'failed' : 'skipped']: 1, note: runner.missing };
  }
  const report = join(reports, `${runner.name.replaceAll(':', '-')}.json`);
  const problem = await finish(runner, report);
  let counts: Counts = nothing;
  const notes = problem === null ? [] : [problem];
  try {
    counts = runner.count(readFileSync(report, 'utf8'));
    if (counts.passed + counts.failed === 0) notes.push('it ran no test');
  } catch {
    notes.push('it left no readable report');
  }
  // Failed tests explain a failing exit code; anything else must not pass unnoticed.
  if (counts.failed > 0) return { ...counts, note: '' };
  return { ...counts, failed: notes.length === 0 ? 0 : 1, note: notes.join(', ') };
}

const filters = process.argv.slice(2);
const lines: string[] = [];
const total: Counts = { passed: 0, failed: 0, skipped: 0 };

for (const runner of filters.length === 0 ? allTestRunners() : [vitestOnNode(filters)]) {
  console.log(`\n--- ${runner.name}`);
  const { passed, failed, skipped, skippedNames = [], note } = await run(runner);
  lines.push(
    `${runner.name}: ${passed} passed, ${failed} failed, ${skipped} skipped${note === '' ? '' : ` (${note})`}`,
  );
  lines.push(...skippedNames.map((name) => `  skipped: ${name}`));
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

console.log(`\n${lines.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed === 0 ? 0 : 1;
