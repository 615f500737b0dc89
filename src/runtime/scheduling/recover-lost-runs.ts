import { METRICS } from '../../lib/metric-definitions.ts';
import type { StoredSchedule, StoredScheduleRun } from '../../ports/schedule-store.ts';
import type { RunExecution } from './execute-run.ts';
import { isRepeatableCall } from './new-run.ts';
import type { SchedulerDependencies } from './scheduler-dependencies.ts';
import { tellSchedule } from './tell-schedule.ts';

/** Lost runs that one look takes care of. */
const AT_ONCE = 50;

/**
 * Runs whose server gives no sign of life any more. The call may have acted, so it is made again only where its command
 * was idempotent then and is now, and not for ever; otherwise it is told as interrupted.
 */
export const recoverLostRuns = async (
  dependencies: SchedulerDependencies,
  execution: RunExecution,
  isStopped: () => boolean,
): Promise<void> => {
  const { schedules, registry, clock, limits, serverId, logger } = dependencies;
  for (const run of await schedules.lost(clock.now(), AT_ONCE)) {
    // One of this server's own is late with its sign, and alive.
    if (isStopped() || execution.holds(run)) continue;
    const schedule = await schedules.get(run.scheduleId);
    const isRepeated =
      schedule !== null &&
      schedule.state !== 'cancelled' &&
      run.isRepeatable &&
      run.attempt < limits.scheduleAttempts &&
      isRepeatableCall(registry, schedule);
    if (!isRepeated) {
      await giveUp(dependencies, schedule, run);
      continue;
    }
    // It waits for a place as others do.
    if (execution.running() >= limits.scheduledRuns) continue;
    const at = clock.now();
    const leaseUntil = at + limits.scheduleLeaseMs;
    if (!(await schedules.takeOver(run, { serverId, leaseUntil, at }))) continue;
    logger.warn('schedule.taken-over', { scheduleId: run.scheduleId, runId: run.id, attempt: run.attempt + 1 });
    execution.begin(schedule, { ...run, attempt: run.attempt + 1, leaseUntil }, { isLast: schedule.nextAt === null });
  }
};

const giveUp = async (
  { schedules, clock, metrics, logger, events }: SchedulerDependencies,
  schedule: StoredSchedule | null,
  run: StoredScheduleRun,
): Promise<void> => {
  const reason = `its server (${run.serverId}) stopped while it ran; the tool may have acted`;
  if (!(await schedules.interrupt(run, { reason, at: clock.now() }))) return;
  metrics.counter(METRICS.scheduledRuns, { outcome: 'interrupted' }).add();
  logger.warn('schedule.interrupted', { scheduleId: run.scheduleId, runId: run.id, attempt: run.attempt });
  if (schedule === null) return;
  tellSchedule(events, schedule, 'interrupted', { dueAt: run.dueAt });
  if (schedule.state === 'ended') tellSchedule(events, schedule, 'ended');
};
