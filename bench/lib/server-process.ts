import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_TAIL_CHARACTERS = 4_000;

/** What to start: `port` is a free one, picked by us. */
export interface ServerCommand {
  command: readonly string[];
  env: (port: number) => Record<string, string>;
  cwd: string;
  /** Milliseconds between two looks whether it answers; fewer for a run that measures how long that takes. */
  pollMs?: number;
}

/** A server under test, in a process of its own on 127.0.0.1. */
export interface ServerProcess {
  pid: number;
  baseUrl: string;
  /** Milliseconds from the start of the process to its first answer. */
  startMs: number;
  /** The end of what it printed, for error messages; empty once it is stopped. */
  logTail(): string;
  /** Ends it by its pid and waits until it is gone. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts a server and waits until `GET /healthz` answers 200. Its output goes to a file, so that reading it costs nothing. */
export async function startServer({ command, env, cwd, pollMs = 50 }: ServerCommand): Promise<ServerProcess> {
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const logDirectory = mkdtempSync(join(tmpdir(), 'vcp-bench-log-'));
  const logFile = join(logDirectory, 'log');
  const log = openSync(logFile, 'a');
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VCP_'));
  const started = performance.now();
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env(port) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const closed = once(child, 'close')
    .catch(() => undefined)
    .finally(() => process.off('exit', killWithUs));
  const hasEnded = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const logTail = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS) : '');

  async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (!hasEnded()) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
    rmSync(logDirectory, { recursive: true, force: true });
  }

  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await answersHealthz(baseUrl))) {
    if (hasEnded() || performance.now() > deadline) {
      const tail = logTail();
      await stop('SIGKILL');
      throw new Error(`"${command.join(' ')}" did not become ready at ${baseUrl}/healthz.\n${tail}`);
    }
    await sleep(pollMs);
  }
  return { pid: child.pid!, baseUrl, startMs: performance.now() - started, logTail, stop };
}

async function answersHealthz(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(2_000),
    });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
