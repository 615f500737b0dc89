import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const pluginDirectory = join(import.meta.dirname, '..', '..');

/** A new directory that is removed when the test has ended. */
export function temporaryDirectory(test) {
  const path = mkdtempSync(join(tmpdir(), 'schedule-manager-'));
  test.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function invocationLine(args) {
  const context = { invocationId: 'ti_test', requestId: 'req_test', source: 'human', actor: null };
  const payload = { command: args.command, arguments: args, context };
  return `${JSON.stringify({ vcp: 'tool-invocation', version: '1.0', payload })}\n`;
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
