import type { Timers } from '../../src/ports/timers.ts';

/** Those of the process. */
export const nodeTimers: Timers = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
