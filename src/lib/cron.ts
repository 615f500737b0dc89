import { Cron } from 'croner';
import { messageOf } from './message-of.ts';

/** Why a text is no cron pattern (five or six fields, or `@hourly` and the like), or null. */
export const cronFault = (pattern: string): string | null => {
  try {
    const job = new Cron(pattern, { paused: true });
    const never = job.nextRun() === null;
    job.stop();
    return never ? 'never comes to pass' : null;
  } catch (error) {
    return messageOf(error);
  }
};

/** Does the work whenever the pattern says, until the function that it gives is called; it keeps no process alive. */
export const startCron = (pattern: string, timeZone: string, work: () => void): (() => void) => {
  const job = new Cron(pattern, { timezone: timeZone, unref: true }, work);
  return () => job.stop();
};
