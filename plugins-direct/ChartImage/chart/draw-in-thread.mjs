import { Worker } from 'node:worker_threads';
import { ChartFault } from './chart-fault.mjs';

/** Megabytes of JavaScript heap for the drawing of one chart; one that needs more fails, and the server lives on. */
const HEAP_MB = 512;

let worker = null;
let turn = Promise.resolve();

/**
 * Draws in a thread of its own, one chart after another, so that the server goes on meanwhile. The thread stays for the
 * next chart; it is ended when the signal aborts. Throws ChartFault.
 */
export const drawInThread = (kind, args, signal) => {
  const drawn = turn.then(() => draw(kind, args, signal));
  turn = drawn.catch(() => undefined);
  return drawn;
};

const draw = async (kind, args, signal) => {
  signal.throwIfAborted();
  worker ??= start();
  const current = worker;
  const { promise, resolve, reject } = Promise.withResolvers();
  const giveUp = () => reject(signal.reason);
  const fail = (error) => reject(error instanceof Error ? error : new Error('the thread that draws has ended'));
  current.once('message', resolve).once('error', fail).once('exit', fail);
  signal.addEventListener('abort', giveUp, { once: true });
  // Only while it draws does the thread keep the process alive.
  current.ref();
  try {
    current.postMessage({ kind, args }, []);
    const { chart, fault, error } = await promise;
    if (fault !== undefined) throw new ChartFault(fault.code, fault.message, fault.target, fault.details);
    if (error !== undefined) throw error;
    return chart;
  } catch (error) {
    if (!(error instanceof ChartFault)) {
      // Whatever else went wrong, the next chart begins afresh.
      if (worker === current) worker = null;
      await current.terminate();
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    current.off('message', resolve).off('error', fail).off('exit', fail);
    current.unref();
  }
};

const start = () => {
  const started = new Worker(new URL('./chart-worker.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // An error of a thread that nobody waits for must not end the server; the next call starts another.
  started.on('error', () => undefined);
  started.once('exit', () => {
    if (worker === started) worker = null;
  });
  return started;
};
