import { describeFault } from '../../src/lib/describe-fault.ts';
import { collectGarbage, type CollectionDependencies } from '../../src/runtime/collect-garbage.ts';

/** Collects garbage while the server runs, every `everyMs`, one collection at a time. Gives what ends it. */
export const collectRegularly = (everyMs: number, dependencies: CollectionDependencies): (() => Promise<void>) => {
  if (everyMs === 0) return () => Promise.resolve();
  const stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = collectGarbage(dependencies, { signal: stop.signal })
      .catch((error: unknown) => dependencies.logger.error('garbage.not-collected', { fault: describeFault(error) }))
      .finally(() => (isRunning = false));
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
};
