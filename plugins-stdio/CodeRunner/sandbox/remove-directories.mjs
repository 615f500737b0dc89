import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds that a result waits for its directory to be gone; a large one is removed after the answer. */
const WAIT_MS = 1_000;
/** Milliseconds after which a removal is given up; the next start of the plugin tries again. */
const REMOVAL_MS = 60_000;
/** Age in milliseconds beyond which a directory belongs to no run any more: no call lasts that long. */
const OLD_MS = 10 * 60_000;

/** Removes a directory; comes back when it is gone, after a short while, or when the call is cancelled. Never rejects. */
export const removeBounded = async (directory, signal) => {
  const removal = remove(directory);
  if (signal.aborted) return;
  const waited = Promise.withResolvers();
  const stopWaiting = () => waited.resolve();
  const timer = setTimeout(stopWaiting, WAIT_MS);
  signal.addEventListener('abort', stopWaiting, { once: true });
  try {
    await Promise.race([removal, waited.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stopWaiting);
  }
};

/** Removes what runs that were killed left in the directory for temporary files, if it is ours. Never rejects. */
export const sweepOld = async (temporary) => {
  const uid = process.geteuid?.();
  for (const name of await readdir(temporary).catch(() => [])) {
    if (!name.startsWith('vcp-code-')) continue;
    const path = join(temporary, name);
    const entry = await lstat(path).catch(() => null);
    const isOurs = entry?.isDirectory() === true && (uid === undefined || entry.uid === uid);
    if (isOurs && entry.mtimeMs < Date.now() - OLD_MS) await remove(path);
  }
};

/** `rm` goes through trees deeper than a path may be long, and takes no turn of this process. A snippet may have locked directories. */
const remove = (directory) =>
  new Promise((done) => {
    const script = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwx -- "$1"; rm -rf -- "$1"; }';
    const options = { timeout: REMOVAL_MS, killSignal: 'SIGKILL' };
    execFile('/bin/sh', ['-c', script, 'remove', directory], options, (error) => {
      if (error !== null) console.error(`CodeRunner: ${directory} was not removed: ${error.message}`);
      done();
    });
  });
