import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';

/** Milliseconds for one page, and megabytes of JavaScript heap. Real pages take a tenth of both. */
const READING_MS = 8_000;
const HEAP_MB = 512;

let thread = null;
let turn = Promise.resolve();

/**
 * Reads a page (read-html.mjs) in a thread of its own, one after another, so that other calls go on. A thread whose call
 * is cancelled or whose page takes too long is ended. Throws PluginError.
 */
export const readInThread = (source, url, options, signal, readingMs = READING_MS) => {
  const page = turn.then(() => read({ source, url, options }, signal, readingMs));
  turn = page.catch(() => undefined);
  return page;
};

const read = async (task, signal, readingMs) => {
  signal.throwIfAborted();
  thread ??= start();
  const { worker, ready } = thread;
  const own = new AbortController();
  // Whatever comes first settles it; the listeners of the others go with `own`.
  const until = AbortSignal.any([signal, own.signal]);
  worker.ref();
  let timer;
  try {
    await raceWith(ready, until);
    const answer = once(worker, 'message', { signal: until });
    timer = setTimeout(() => own.abort(tooSlow(readingMs)), readingMs);
    worker.postMessage(task, []);
    const [{ page, failure, error }] = await answer;
    if (failure !== undefined) throw new PluginError(failure.code, failure.message, { target: failure.target });
    if (error !== undefined) throw error;
    return page;
  } catch (error) {
    const reason = until.aborted ? until.reason : error;
    if (!(reason instanceof PluginError) || until.aborted) {
      thread = null;
      await worker.terminate();
    }
    if (reason?.code === 'ERR_WORKER_OUT_OF_MEMORY') throw unreadable(`needs more than ${HEAP_MB} MB to be read`);
    throw reason;
  } finally {
    clearTimeout(timer);
    worker.unref();
  }
};

const raceWith = async (promise, signal) => {
  const { promise: aborted, reject } = Promise.withResolvers();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};

const tooSlow = (readingMs) => unreadable(`takes more than ${readingMs / 1_000} seconds to be read`);

const unreadable = (fault) =>
  new PluginError('WEB.UNREADABLE', `the page ${fault}. Ask for format "file" to have it as it is.`, { target: 'url' });

const start = () => {
  const worker = new Worker(new URL('./page-worker.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // An error that comes when nobody waits must not end the process; the next page starts another thread.
  worker.on('error', () => undefined);
  const ready = once(worker, 'message');
  ready.catch(() => undefined);
  return { worker, ready };
};
