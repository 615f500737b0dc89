import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { TextDecoder } from 'node:util';

/** Bytes of stdout, and of stderr, that are kept; a program that writes more is stopped. */
const OUTPUT_BYTES = 512 * 1024;
/** Milliseconds that output may still come after the process has gone. */
const DRAIN_MS = 500;

/** Milliseconds that the set-up of a sandbox may take, before the time of the command begins. */
const SET_UP_MS = 10_000;
/** Bytes of what a sandbox says of its own set-up. */
const REPORT_BYTES = 16 * 1024;

/**
 * Runs a command to its end or to the first limit: set-up, time, output, or the caller's signal. `stopped` says which it
 * was, null when it ended by itself. What sandbox/isolation.mjs made (`isIsolated`) stays in this process's group, ends
 * with us however we end, and says in `setUp` whether the command came to be run; any other gets a group of its own,
 * which is killed whole.
 */
export const runBounded = ({ command, args, env, cwd, stdin, timeoutMs, signal, isIsolated }) =>
  new Promise((resolve, reject) => {
    let startedAt = performance.now();
    const stdio = ['pipe', 'pipe', 'pipe', ...(isIsolated ? ['pipe', 'pipe'] : [])];
    const child = spawn(command, args, { cwd, env, detached: !isIsolated, stdio });
    const [, , , reportStream, lifeline] = child.stdio;
    lifeline?.on('error', () => undefined);
    let stopped = null;
    const stop = (why) => {
      stopped ??= why;
      kill(child, isIsolated);
    };
    const begin = () => {
      startedAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(() => stop('time'), timeoutMs);
    };
    let timer = setTimeout(() => stop(isIsolated ? 'set-up' : 'time'), isIsolated ? SET_UP_MS : timeoutMs);
    const report = isIsolated ? collectReport(reportStream, begin) : () => null;
    let drain = null;
    const onAbort = () => stop('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const stdout = collect(child.stdout, () => stop('output'));
    const stderr = collect(child.stderr, () => stop('output'));
    child.stdin.on('error', () => undefined).end(stdin);

    const finish = () => {
      clearTimeout(timer);
      clearTimeout(drain);
      signal.removeEventListener('abort', onAbort);
      // One line means: ended in order. Its end without one would mean that we have died.
      lifeline?.end('\n');
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', () => {
      lifeline?.end('\n');
      // Whatever it started and left behind ends with it.
      if (!isIsolated) kill(child, isIsolated);
      drain = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        reportStream?.destroy();
      }, DRAIN_MS);
    });
    child.once('close', (exitCode, exitSignal) => {
      finish();
      const durationMs = Math.round(performance.now() - startedAt);
      const setUp = report();
      resolve({
        exitCode,
        signal: exitSignal ?? setUp?.signal ?? null,
        stopped,
        durationMs,
        stdout: stdout(),
        stderr: stderr(),
        setUp,
      });
    });
  });

const kill = (child, isIsolated) => {
  if (child.pid === undefined) return;
  for (const pid of isIsolated ? [...childrenOf(child.pid), child.pid] : [-child.pid])
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has gone already.
    }
};

/** The first process of the namespaces, with which they end, is the child of what we started. */
const childrenOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

/** Reads what the scripts say on descriptor 3: the steps, "ready", what the shell says of a signal, and "ended". */
const collectReport = (stream, onReady) => {
  let text = '';
  let isReady = false;
  stream.setEncoding('utf8').on('data', (chunk) => {
    if (text.length < REPORT_BYTES) text += chunk;
    if (isReady || !text.includes('\nready\n')) return;
    isReady = true;
    onReady();
  });
  stream.on('error', () => undefined);
  return () => {
    const lines = text.split('\n').filter((line) => line !== '');
    const ready = isReady ? lines.indexOf('ready') : -1;
    const code = Number(/^ended (\d+)$/.exec(lines.at(-1) ?? '')?.[1] ?? 0);
    const bySignal = ready !== -1 && code > 128 && lines.length > ready + 2;
    return {
      isReady,
      step: lines.findLast((line) => line.startsWith('step '))?.slice(5) ?? null,
      signal: bySignal ? signalName(code - 128) : null,
    };
  };
};

const signalName = (number) => Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;

const collect = (stream, onFull) => {
  const chunks = [];
  let bytes = 0;
  let isCut = false;
  stream.on('data', (chunk) => {
    const room = OUTPUT_BYTES - bytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes += chunk.length;
    if (bytes <= OUTPUT_BYTES || isCut) return;
    isCut = true;
    onFull();
  });
  stream.on('error', () => undefined);
  return () => {
    const all = Buffer.concat(chunks);
    const text = new TextDecoder('utf-8').decode(all);
    return { text: text.replaceAll('\u0000', '\ufffd'), bytes: all.length, isCut, isBinary: isBinary(all) };
  };
};

const isBinary = (bytes) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return bytes.includes(0);
  } catch {
    return true;
  }
};
