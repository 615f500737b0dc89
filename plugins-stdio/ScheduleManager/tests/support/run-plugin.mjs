import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const pluginDirectory = join(import.meta.dirname, '..', '..');

/** A new directory that is removed when the test has ended. */
export function temporaryDirectory(test) {
  const path = mkdtempSync(join(tmpdir(), 'schedule-manager-'));
  test.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** `invocationId` stands in the frame itself in worker mode only. */
export function invocationLine(args, { invocationId } = {}) {
  const context = { invocationId: 'ti_test', requestId: 'req_test', source: 'human', actor: null };
  const payload = { command: args.command, arguments: args, context };
  return `${JSON.stringify({ vcp: 'tool-invocation', version: '1.0', invocationId, payload })}\n`;
}

/** Starts the plugin's process; `done` resolves with its exit, output and, where it printed one, its payload. */
export function startPlugin(dataDirectory, { command = process.execPath, commandArgs = ['main.mjs'] } = {}) {
  const child = spawn(command, commandArgs, {
    cwd: pluginDirectory,
    env: { PATH: process.env.PATH, ...(dataDirectory && { VCP_PLUGIN_DATA_DIR: dataDirectory }) },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  child.stdin.on('error', () => {}); // a child that was killed no longer reads
  const done = new Promise((resolve) => {
    child.on('close', (exitCode, signal) => {
      const lines = stdout.split('\n').filter(Boolean);
      resolve({
        exitCode,
        signal,
        stdout,
        stderr,
        lines,
        payload: lines.length === 1 ? JSON.parse(lines[0]).payload : null,
      });
    });
  });
  return { child, done };
}

/** Starts the plugin's process in worker mode; `call` resolves with the payload of that call. */
export function startWorker(test, dataDirectory) {
  const child = spawn(process.execPath, ['main.mjs'], {
    cwd: pluginDirectory,
    env: { PATH: process.env.PATH, VCP_PLUGIN_DATA_DIR: dataDirectory, VCP_STDIO_MODE: 'worker' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  test.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { invocationId, payload } = JSON.parse(line);
    waiting.get(invocationId)(payload);
    waiting.delete(invocationId);
  });
  let calls = 0;
  return {
    child,
    exited,
    call(args, { invocationId = `ti_${(calls += 1)}` } = {}) {
      child.stdin.write(invocationLine(args, { invocationId }));
      return new Promise((resolve) => waiting.set(invocationId, resolve));
    },
    cancel: (invocationId) => child.stdin.write(`${JSON.stringify({ vcp: 'cancel', version: '1.0', invocationId })}\n`),
  };
}

/** Calls the plugin once and returns its payload. */
export async function call(dataDirectory, args, options) {
  const { child, done } = startPlugin(dataDirectory, options);
  child.stdin.end(invocationLine(args));
  const { payload, exitCode, stderr } = await done;
  if (exitCode !== 0 || payload === null) throw new Error(`exit ${exitCode}: ${stderr}`);
  return payload;
}

export function add(dataDirectory, content, time = '2026-07-12T10:00:00+08:00') {
  return call(dataDirectory, { command: 'AddSchedule', time, content });
}

export function list(dataDirectory) {
  return call(dataDirectory, { command: 'ListSchedules' });
}
