import { describeFault } from '../../lib/describe-fault.ts';
import { METRICS } from '../../lib/metric-definitions.ts';
import type { HeldRun, ScheduleRunEnd, StoredSchedule, StoredScheduleRun } from '../../ports/schedule-store.ts';
import { LONGEST_TIMER_MS } from '../../ports/timers.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { SchedulerDependencies } from './scheduler-dependencies.ts';
import { tellSchedule } from './tell-schedule.ts';

/** The runs of this server that go on. */
export type RunExecution = {
  /** Makes the call of a run whose due time this server has taken. `isLast`: the schedule ends with it. */
  begin(schedule: StoredSchedule, run: StoredScheduleRun, facts: { readonly isLast: boolean }): void;
  holds(run: HeldRun): boolean;
  running(): number;
  /** Resolves when one of them has ended, or none goes on. */
  oneEnded(): Promise<void>;
  /** Resolves when none of them goes on. */
  idle(): Promise<void>;
};

/** Signs of life within one lease, so that one may come late or be lost. */
const SIGNS_PER_LEASE = 3;
/** Milliseconds until the end of a run is noted again where the store failed, and how often. */
const NOTE_AGAIN_MS = 1_000;
const NOTED_AT_MOST = 10;

export const createRunExecution = (dependencies: SchedulerDependencies, onFree: () => void): RunExecution => {
  const { schedules, runtime, rights, events, clock, timers, logger, limits, metrics } = dependencies;
  const held = new Map<string, { readonly run: HeldRun; readonly ended: Promise<void> }>();
  let cancelSigns = (): void => undefined;

  const giveSigns = (): void => {
    cancelSigns();
    if (held.size === 0) return;
    cancelSigns = timers.after(Math.min(LONGEST_TIMER_MS, limits.scheduleLeaseMs / SIGNS_PER_LEASE), () => {
      for (const { run } of held.values()) void giveSign(run);
      giveSigns();
    });
  };

  const giveSign = async (run: HeldRun): Promise<void> => {
    try {
      if (await schedules.extend(run, clock.now() + limits.scheduleLeaseMs)) return;
      logger.debug('schedule.not-held', { runId: run.id, attempt: run.attempt });
    } catch (error) {
      logger.warn('schedule.no-sign', { runId: run.id, fault: describeFault(error) });
    }
  };

  const make = (schedule: StoredSchedule): Promise<CanonicalToolResult> => {
    const { owner, toolName } = schedule;
    // The rights are those of now, not those of the day when the schedule was made.
    const refusal = rights.refusalOf(owner, toolName);
    return runtime.execute({
      toolName,
      arguments: schedule.arguments,
      context: {
        source: 'scheduler',
        origin: schedule.source,
        actor: schedule.actor,
        owner,
        maySee: (other) => rights.maySee(owner, other),
        isOffered: (name) => rights.refusalOf(owner, name) === null,
        ...(refusal === null ? {} : { refusal }),
      },
      // Nobody waits for the answer, and a place of others' runs would be held for a person.
      approvalWaitMs: 0,
      ...(schedule.timeoutMs === null ? {} : { options: { timeoutMs: schedule.timeoutMs } }),
    });
  };

  const carryOut = async (schedule: StoredSchedule, run: StoredScheduleRun, isLast: boolean): Promise<void> => {
    const { dueAt, attempt } = run;
    const logged = { scheduleId: schedule.id, runId: run.id, toolName: schedule.toolName, attempt };
    logger.info('schedule.started', logged);
    tellSchedule(events, schedule, 'started', { dueAt });
    const result = await make(schedule);
    const { status, execution } = result;
    const isStored = execution.recordId !== null;
    const isNoted = await note(run, {
      resultId: isStored ? result.id : null,
      status,
      errorCode: result.error?.code ?? null,
      reason: isStored ? null : 'the result could not be stored',
      finishedAt: clock.now(),
    });
    metrics.counter(METRICS.scheduledRuns, { outcome: status }).add();
    logger[isNoted ? 'info' : 'warn'](isNoted ? 'schedule.finished' : 'schedule.not-noted', {
      ...logged,
      status,
      errorCode: result.error?.code,
      resultId: result.id,
    });
    const { invocationId, requestId, recordId } = execution;
    tellSchedule(events, schedule, 'finished', {
      dueAt,
      status,
      invocationId,
      requestId,
      recordId,
      resultId: result.id,
    });
    if (isLast) tellSchedule(events, schedule, 'ended');
    await trim(schedule);
  };

  /** False when the run was taken over, or the store failed for long. */
  const note = async (run: HeldRun, end: ScheduleRunEnd): Promise<boolean> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await schedules.finish(run, end);
      } catch (error) {
        logger.error('schedule.not-noted', { runId: run.id, fault: describeFault(error) });
        if (tries === NOTED_AT_MOST) return false;
        await new Promise<void>((resolve) => void timers.after(NOTE_AGAIN_MS, resolve));
      }
    }
  };

  const trim = async (schedule: StoredSchedule): Promise<void> => {
    try {
      await schedules.trimRuns(schedule.id, limits.scheduleRunsKept);
    } catch (error) {
      logger.warn('schedule.not-trimmed', { scheduleId: schedule.id, fault: describeFault(error) });
    }
  };

  return {
    begin: (schedule, run, { isLast }) => {
      const { id, attempt } = run;
      const slot = slotOf(run);
      const ended = carryOut(schedule, run, isLast)
        .catch((error: unknown) => {
          // Its lease runs out, and it is told as interrupted.
          logger.error('schedule.fault', { scheduleId: schedule.id, runId: id, fault: describeFault(error) });
        })
        .finally(() => {
          held.delete(slot);
          if (held.size === 0) cancelSigns();
          onFree();
        });
      held.set(slot, { run: { id, attempt }, ended });
      if (held.size === 1) giveSigns();
    },
    holds: (run) => held.has(slotOf(run)),
    running: () => held.size,
    oneEnded: async () => {
      if (held.size > 0) await Promise.race([...held.values()].map(({ ended }) => ended));
    },
    idle: async () => {
      while (held.size > 0) await Promise.all([...held.values()].map(({ ended }) => ended));
    },
  };
};

const slotOf = ({ id, attempt }: HeldRun): string => `${id}:${attempt}`;
