import { raceWithSignal } from '../../../lib/deadline.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';

/** Settles as the work does, or rejects with the signal's reason, or because a stream gave no sign of life for so long. */
export const withinIdle = async <T>(work: Promise<T>, idleMs: number, signal: AbortSignal): Promise<T> => {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(wentQuiet(idleMs)), idleMs);
  try {
    return await raceWithSignal(work, AbortSignal.any([signal, idle.signal]));
  } finally {
    clearTimeout(timer);
  }
};

export const wentQuiet = (idleMs: number): UpstreamError =>
  new UpstreamError({
    code: 'UPSTREAM_IDLE',
    message: `the upstream's stream gave no sign of life for ${idleMs} ms`,
    isRetryable: true,
  });
