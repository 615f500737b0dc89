import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { CorePaths } from 'miniflare';
import { commandFile } from './repository.ts';

export type WranglerDev = {
  readonly url: string;
  /** What ends it by itself, if it does. */
  readonly ended: Promise<number | null>;
  /** Wakes the worker as the Cron trigger of these times does, which nothing here does by itself; resolves when it is done. */
  wake(cron: string): Promise<void>;
  /** Ends it with all that it has started. */
  close(): Promise<void>;
};

/** Milliseconds until the worker answers; the first start on a slow machine takes the longest. */
const PATIENCE_MS = 60_000;

/**
 * Runs a deploy folder on this machine, without an account and without the network. Wrangler leaves processes behind
 * when it is told to end, so that it leads a group of its own, which is ended whole.
 */
export const startWranglerDev = async (
  directory: string,
  port: number,
  log: (text: string) => void,
): Promise<WranglerDev> => {
  const wrangler = commandFile('wrangler', 'wrangler');
  const options = ['--local', '--ip', '127.0.0.1', '--port', String(port), '--show-interactive-dev-session=false'];
  const child = spawn(process.execPath, [wrangler, 'dev', ...options], {
    cwd: directory,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false', FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  // Also when this process goes without a word.
  const onExit = () => endGroup(child, 'SIGKILL');
  process.on('exit', onExit);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const close = async () => {
    endGroup(child, 'SIGKILL');
    await ended;
    process.off('exit', onExit);
  };
  let said = '';
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log(text);
        said = (said + text).slice(-8_000);
        const address = /Ready on (http:\/\/\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`wrangler was not ready within ${PATIENCE_MS} ms:\n${said}`)),
      PATIENCE_MS,
    );
    void ended.then((code) => reject(new Error(`wrangler ended with ${code}:\n${said}`)));
  });
  late.catch(() => undefined);
  try {
    const url = await Promise.race([ready, late]);
    return { url, ended, wake: (cron) => wake(url, cron), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const wake = async (url: string, cron: string): Promise<void> => {
  const woken = await fetch(new URL(`${CorePaths.SCHEDULED}?${new URLSearchParams({ cron })}`, url));
  if (woken.status !== 200) throw new Error(`the scheduled handler failed: ${await woken.text()}`);
};

const endGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing is left of it.
  }
};
