import { beforeSilence } from '../lib/before-silence.ts';
import { describeFault } from '../lib/describe-fault.ts';
import type { Limits } from '../lib/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Timers } from '../ports/timers.ts';
import type { InboxPuller } from './pull-inbox.ts';

export type WatchDependencies = {
  readonly puller: InboxPuller;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'inboxLookMs' | 'inboxLongestWaitMs' | 'inboxHoldMs' | 'inboxRequestMs'>;
};

/** Looks into the inbox while the server runs, one look at a time. */
export type InboxWatch = {
  /** Looks at once, and regularly from then on. */
  start(): void;
  /**
   * Looks now, and tells whether tasks may be ended as timed out: not while a callback may lie in the inbox that came in
   * time, but no receiver that is away keeps them for long.
   */
  mayEndTasks(): Promise<boolean>;
  /** Ends the look that is under way. */
  stop(): Promise<void>;
};

export const watchInbox = ({ puller, clock, timers, logger, limits }: WatchDependencies): InboxWatch => {
  const stopping = new AbortController();
  let looking: Promise<void> | null = null;
  let cancelTimer: () => void = () => undefined;
  let failures = 0;
  let fault: string | null = null;
  /** When the last look began that left nothing; before there was one, when the server was started. */
  let readAt = clock.monotonic();

  const look = async (): Promise<void> => {
    const begun = clock.monotonic();
    try {
      if (await puller.look(stopping.signal)) readAt = begun;
      if (failures > 0) logger.info('inbox.read-again', { failures });
      failures = 0;
      fault = null;
    } catch (error) {
      if (stopping.signal.aborted) return;
      failures += 1;
      const reason = describeFault(error);
      // It fails at every look for as long as the receiver is away; that is told when it begins.
      if (fault === null) logger.error('inbox.not-read', { fault: reason });
      fault = reason;
    }
  };

  const lookAndPlan = (): Promise<void> => {
    cancelTimer();
    looking ??= look().finally(() => {
      looking = null;
      const waitMs = Math.min(limits.inboxLongestWaitMs, limits.inboxLookMs * 2 ** failures);
      if (!stopping.signal.aborted) cancelTimer = timers.after(waitMs, () => void lookAndPlan());
    });
    return looking;
  };

  return {
    start: () => void lookAndPlan(),
    mayEndTasks: async () => {
      const asked = clock.monotonic();
      // A look that is under way may have begun before what matters came in. Where the receiver is away, it is not asked
      // more often than that is planned.
      const looked = Promise.resolve(looking).then(() => (failures === 0 ? lookAndPlan() : undefined));
      await beforeSilence(looked, limits.inboxRequestMs);
      return readAt >= asked || asked - readAt >= limits.inboxHoldMs;
    },
    stop: async () => {
      stopping.abort();
      cancelTimer();
      await looking;
    },
  };
};
