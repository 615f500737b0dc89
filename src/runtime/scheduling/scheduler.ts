import { describeFault } from '../../lib/describe-fault.ts';
import type { StoredSchedule, StoredScheduleRun } from '../../ports/schedule-store.ts';
import { LONGEST_TIMER_MS } from '../../ports/timers.ts';
import { dueTimesOf } from '../../schedule/due-times.ts';
import { takeStock, type Stock } from '../../schedule/take-stock.ts';
import { createRunExecution } from './execute-run.ts';
import { recoverLostRuns } from './recover-lost-runs.ts';
import { removeEndedSchedules } from './remove-ended-schedules.ts';
import type { SchedulerDependencies } from './scheduler-dependencies.ts';
import { isRepeatableCall, newRun } from './new-run.ts';
import { tellSchedule } from './tell-schedule.ts';
import { METRICS } from '../../lib/metric-definitions.ts';

/** Runs what is due. Any number of servers may do so on one store. */
export type Scheduler = {
  /** Looks at what is due now, and from then on whenever something is. */
  start(): void;
  /** Looks again soon: there is something new. */
  wake(): void;
  /** Begins no further run; resolves when none can begin any more. */
  stop(): Promise<void>;
  /** Resolves when no run of this server goes on any more, and each is noted. */
  idle(): Promise<void>;
  /**
   * Runs what is due now and waits until it has ended, instead of `start`: for a server that something else wakes. It begins
   * runs for `scheduleLookMs` at most, since another look comes then. Rejects when the store fails.
   */
  lookOnce(): Promise<void>;
  /** Scheduled calls that this server runs now. */
  running(): number;
};

/** Milliseconds between two looks at least: a store that answers oddly must not keep a core busy. */
const LEAST_WAIT_MS = 20;
/** Milliseconds between two removals of schedules that ended long ago. */
const REMOVAL_PERIOD_MS = 10 * 60 * 1_000;

/**
 * One timer for the next due time, which is never set for longer than `scheduleLookMs`: other servers make schedules too,
 * and the clock may be set meanwhile. A due time is taken in the store before anything runs, and a schedule waits for
 * one due time after the other, so a clock that goes back repeats nothing.
 */
export const createScheduler = (dependencies: SchedulerDependencies): Scheduler => {
  const { schedules, clock, timers, events, logger, limits, metrics } = dependencies;
  const execution = createRunExecution(dependencies, () => wake());
  let isStopped = false;
  let isStarted = false;
  let looking: Promise<void> | null = null;
  let shallLookAgain = false;
  let cancelTimer = (): void => undefined;
  let removedAt = Number.NEGATIVE_INFINITY;

  const isFull = (): boolean => execution.running() >= limits.scheduledRuns;

  const wake = (): void => {
    if (isStopped || !isStarted) return;
    if (looking !== null) {
      shallLookAgain = true;
      return;
    }
    cancelTimer();
    looking = look().finally(() => {
      looking = null;
      if (!shallLookAgain) return;
      shallLookAgain = false;
      wake();
    });
  };

  const look = async (): Promise<void> => {
    let wait: number = limits.scheduleLookMs;
    try {
      await takeOn();
      await removeEnded();
      const next = isFull() ? null : await schedules.nextDue();
      if (next !== null) wait = Math.min(wait, next - clock.now());
    } catch (error) {
      logger.error('schedule.not-looked', { fault: describeFault(error) });
    }
    if (!isStopped) cancelTimer = timers.after(Math.min(LONGEST_TIMER_MS, Math.max(LEAST_WAIT_MS, wait)), wake);
  };

  const takeOn = async (): Promise<void> => {
    await recoverLostRuns(dependencies, execution, () => isStopped);
    await settleDue();
  };

  const settleDue = async (): Promise<void> => {
    while (!isStopped && !isFull()) {
      const due = await schedules.due(clock.now(), limits.scheduledRuns - execution.running());
      let settled = 0;
      for (const schedule of due) if (!isStopped && !isFull() && (await settle(schedule))) settled += 1;
      // Nothing was to be had: what is left, other servers have just taken.
      if (settled === 0) return;
    }
  };

  /** Decides what becomes of the due times of a schedule up to now; false when another server did. */
  const settle = async (schedule: StoredSchedule): Promise<boolean> => {
    const dueAt = schedule.nextAt as number;
    const now = clock.now();
    const stock = stockOf(schedule, dueAt, now);
    const rows: StoredScheduleRun[] = [];
    if (stock.missed !== null) {
      const { firstAt, times } = stock.missed;
      rows.push(
        newRun(dependencies, schedule, firstAt, {
          state: 'missed',
          times,
          reason: stock.reason ?? missedReason(times),
        }),
      );
    }
    if (stock.runAt !== null) {
      const previous = schedule.overlap === 'skip' ? await runThatGoesOn(schedule) : null;
      rows.push(
        previous === null
          ? newRun(dependencies, schedule, stock.runAt, {
              state: 'running',
              isRepeatable: isRepeatableCall(dependencies.registry, schedule),
            })
          : newRun(dependencies, schedule, stock.runAt, {
              state: 'skipped',
              reason: `the run that was due at ${new Date(previous.dueAt).toISOString()} still goes on`,
            }),
      );
    }
    const begins = rows.find(({ state }) => state === 'running');
    const isLast = schedule.maxRuns !== null && schedule.runCount + (begins === undefined ? 0 : 1) >= schedule.maxRuns;
    const nextAt = isLast ? null : stock.nextAt;
    if (!(await schedules.advance({ scheduleId: schedule.id, from: dueAt, nextAt, runs: rows, at: now }))) return false;
    for (const row of rows) if (row !== begins) tellPassedOver(schedule, row);
    if (begins !== undefined) execution.begin(schedule, begins, { isLast: nextAt === null });
    else if (nextAt === null) tellSchedule(events, schedule, 'ended');
    return true;
  };

  /** What can be read no more, such as a zone that this runtime does not know, ends with the reason. */
  const stockOf = (schedule: StoredSchedule, dueAt: number, now: number): Stock & { readonly reason?: string } => {
    try {
      const rules = { now, policy: schedule.missed, lateMs: limits.scheduleLateMs };
      return takeStock(dueTimesOf(schedule), dueAt, rules);
    } catch (error) {
      logger.error('schedule.not-read', { scheduleId: schedule.id, fault: describeFault(error) });
      const reason = `this server cannot read the times of the schedule (${schedule.cron}, ${schedule.timeZone})`;
      return { runAt: null, missed: { firstAt: dueAt, times: 1 }, nextAt: null, reason };
    }
  };

  const runThatGoesOn = async ({ id }: StoredSchedule): Promise<StoredScheduleRun | null> =>
    (await schedules.listRuns({ scheduleId: id, state: 'running', limit: 1 })).runs[0] ?? null;

  const tellPassedOver = (schedule: StoredSchedule, run: StoredScheduleRun): void => {
    metrics.counter(METRICS.scheduledRuns, { outcome: run.state }).add(run.times);
    logger.info(`schedule.${run.state}`, { scheduleId: schedule.id, toolName: schedule.toolName, times: run.times });
    tellSchedule(events, schedule, 'missed', { dueAt: run.dueAt });
  };

  const removeEnded = async (): Promise<void> => {
    const now = clock.monotonic();
    if (now - removedAt < REMOVAL_PERIOD_MS) return;
    removedAt = now;
    if (await removeEndedSchedules(dependencies)) removedAt = Number.NEGATIVE_INFINITY;
  };

  return {
    start: () => {
      isStarted = true;
      wake();
    },
    wake,
    stop: async () => {
      isStopped = true;
      cancelTimer();
      await looking;
    },
    idle: async () => {
      while (looking !== null || execution.running() > 0) {
        await looking;
        await execution.idle();
      }
    },
    lookOnce: async () => {
      const until = clock.monotonic() + limits.scheduleLookMs;
      try {
        await takeOn();
        // What had no place yet waits for one that becomes free.
        while (isFull()) {
          await execution.oneEnded();
          if (clock.monotonic() >= until) break;
          await takeOn();
        }
      } finally {
        await execution.idle();
      }
    },
    running: execution.running,
  };
};

const missedReason = (times: number): string =>
  times === 1
    ? 'its time passed before any server could run it'
    : `${times} times passed before any server could run them`;
