import { describeFault } from '../../src/lib/describe-fault.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { ApprovalDesk } from '../../src/runtime/approval-desk.ts';

type Attended = { readonly approvals: Pick<ApprovalDesk, 'attend'>; readonly logger: Logger };

/** Looks after approvals while the server runs, at once and every `everyMs`, one look at a time. Gives what ends it. */
export const attendRegularly = (everyMs: number, { approvals, logger }: Attended): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  let fault: string | null = null;
  const look = () => {
    running ??= approvals
      .attend()
      .then(
        () => {
          fault = null;
        },
        (error: unknown) => {
          const reason = describeFault(error);
          // It fails at every look for as long as the store is away; that is told when it begins.
          if (reason !== fault) logger.error('approvals.not-attended', { fault: reason });
          fault = reason;
        },
      )
      .finally(() => (running = null));
  };
  look();
  const timer = setInterval(look, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
};
