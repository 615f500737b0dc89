import { spawn } from 'node:child_process';
import { TextDecoder } from 'node:util';

/** Bytes of stdout, and of stderr, that are kept; a program that writes more is stopped. */
const OUTPUT_BYTES = 512 * 1024;
/** Milliseconds that output may still come after the process has gone. */
const DRAIN_MS = 500;

/**
 * Runs a command to its end or to the first limit: time, output, or the caller's signal. `stopped` says which limit it
 * was, null when it ended by itself. A command that takes its descendants along when it dies stays in this process's
 * group, so that it ends with us however we end; any other gets a group of its own (`ownGroup`), which is killed whole.
 */
export const runBounded = ({ command, args, env, cwd, stdin, timeoutMs, signal, ownGroup }) =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd, env, detached: ownGroup, stdio: ['pipe', 'pipe', 'pipe'] });
    let stopped = null;
    const stop = (why) => {
      stopped ??= why;
      kill(child, ownGroup);
    };
    const timer = setTimeout(() => stop('time'), timeoutMs);
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
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', () => {
      // Whatever it started and left behind ends with it.
      if (ownGroup) kill(child, ownGroup);
      drain = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
    });
    child.once('close', (exitCode, exitSignal) => {
      finish();
      const durationMs = Math.round(performance.now() - startedAt);
      resolve({ exitCode, signal: exitSignal, stopped, durationMs, stdout: stdout(), stderr: stderr() });
    });
  });

const kill = (child, ownGroup) => {
  if (child.pid === undefined) return;
  try {
    process.kill(ownGroup ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has gone already.
  }
};

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
