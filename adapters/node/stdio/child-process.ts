import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Limits } from '../../../src/lib/limits.ts';
import { giveBack } from '../../../src/lib/give-back.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { TransportError } from '../../../src/ports/transport.ts';
import type { ChildGuard } from './child-guard.ts';
import { endStrays, STRAY_COOKIE } from './stray-processes.ts';
import { createTail } from './tail.ts';

export type ChildSpec = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export type ChildExit = { readonly code: number | null; readonly signal: string | null };

/**
 * One child in a process group of its own. It knows nothing of frames or calls, so that one process a call, standby
 * processes and long-lived workers can all be built on it.
 */
export type Child = {
  /** Null when it could not be started. */
  readonly pid: number | null;
  /** Whether the process is known to have gone. */
  readonly hasExited: boolean;
  /** Writes to stdin; a child that has closed it is not an error here, its exit tells the story. */
  write(text: string): void;
  endInput(): void;
  /** Last bytes of stderr as text. */
  stderrTail(): string;
  /** The process has gone. Rejects with a TransportError when it could not be started. */
  readonly exited: Promise<ChildExit>;
  /** The process has gone and every byte of its output has been handed over. */
  readonly closed: Promise<ChildExit>;
  /** Ends the whole group: asks, waits `killGraceMs`, kills. Resolves when it has gone. */
  stop(): Promise<void>;
  /** Kills the group at once, without waiting: for a host that is about to end itself. */
  kill(): void;
};

export type ChildLimits = Pick<Limits, 'stderrBytes' | 'killGraceMs' | 'drainMs'>;

/** Starts children of one host; what they leave behind is its business. */
export type StartChild = (spec: ChildSpec, limits: ChildLimits, onStdout: (chunk: Uint8Array) => void) => Child;

const IS_WINDOWS = process.platform === 'win32';

/**
 * Starts a child; `onStdout` gets its output as it comes, and has to be done with it when it returns. Never throws: a failed start rejects `exited` and `closed`.
 * With a guard, the child does not outlive a host that is killed.
 */
export const startChild = (
  spec: ChildSpec,
  limits: ChildLimits,
  onStdout: (chunk: Uint8Array) => void,
  guard: ChildGuard | null = null,
): Child => {
  const cookie = `${guard?.hostId ?? ''}${randomUUID()}`;
  const stderr = createTail(limits.stderrBytes);
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [STRAY_COOKIE]: cookie },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !IS_WINDOWS,
      windowsHide: true,
    });
  } catch (error) {
    return failedChild(startFailure(spec, error));
  }

  let isOpen = true;
  let hasExited = child.pid === undefined;
  if (child.pid !== undefined) guard?.watch(child.pid);
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', (chunk: Uint8Array) => {
    onStdout(chunk);
    giveBack(chunk);
  });
  child.stderr?.on('data', stderr.push);

  const exited = new Promise<ChildExit>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(startFailure(spec, error));
    });
    child.once('exit', (code, signal) => {
      hasExited = true;
      // Whatever the process left behind in its group goes with it; output already written stays readable.
      signalGroup(child, 'SIGKILL');
      resolve({ code, signal });
    });
  });

  const closed = exited.then(async (exit) => {
    // Descendants that left the group are found by the cookie; also after a good end, and before its answer goes out.
    await endStrays(cookie, child.pid ?? 0);
    if (child.pid !== undefined) guard?.release(child.pid);
    if (isOpen) await drained(child, limits.drainMs, () => isOpen);
    return exit;
  });
  child.once('close', () => {
    isOpen = false;
  });
  // Both are handed out; a caller that awaits only one must not cause an unhandled rejection by the other.
  exited.catch(() => undefined);
  closed.catch(() => undefined);

  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return;
    signalGroup(child, 'SIGTERM');
    const killer = setTimeout(() => signalGroup(child, 'SIGKILL'), limits.killGraceMs);
    try {
      await closed;
    } catch {
      // It never started; there is nothing to end.
    } finally {
      clearTimeout(killer);
    }
  };

  return {
    pid: child.pid ?? null,
    get hasExited() {
      return hasExited;
    },
    write: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    stderrTail: stderr.text,
    exited,
    closed,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
};

/** Waits for the end of the output, but not for ever: what holds the pipe now is out of our sight. */
const drained = async (child: ChildProcess, drainMs: number, isOpen: () => boolean): Promise<void> => {
  const close = new Promise<void>((resolve) => child.once('close', () => resolve()));
  if ((await within(close, drainMs)) || !isOpen()) return;
  child.stdout?.destroy();
  child.stderr?.destroy();
};

const within = async (event: Promise<void>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  if (IS_WINDOWS) {
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () =>
      child.kill(signal),
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the group is empty. EPERM: what is left changed its user; the stray search deals with the rest.
  }
};

const startFailure = (spec: ChildSpec, error: unknown): TransportError => {
  const code = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
  const reasons: Record<string, string> = {
    ENOENT: `command "${spec.command}" was not found (is it installed, and does the plugin directory exist?)`,
    EACCES: `command "${spec.command}" may not be executed`,
    EAGAIN: 'the system has no room for another process; try again later',
    E2BIG: 'the arguments or the environment are too long',
  };
  const reason = reasons[code] ?? `${code}: ${messageOf(error)}`;
  return new TransportError(
    'TRANSPORT_FAILURE',
    `the plugin could not be started: ${reason}`,
    { errno: code },
    code === 'EAGAIN',
    false,
  );
};

const failedChild = (failure: TransportError): Child => {
  const failed = Promise.reject(failure);
  failed.catch(() => undefined);
  return {
    pid: null,
    hasExited: true,
    write: () => undefined,
    endInput: () => undefined,
    stderrTail: () => '',
    exited: failed,
    closed: failed,
    stop: () => Promise.resolve(),
    kill: () => undefined,
  };
};
