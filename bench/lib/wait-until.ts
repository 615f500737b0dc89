import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 500;

/** Waits until something is done, or `timeoutMs` are over: what came of it is for the caller to judge. */
export async function waitUntil(isDone: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!isDone() && performance.now() < deadline) await sleep(STEP_MS);
}
