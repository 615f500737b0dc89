import type { StoredSchedule, StoredScheduleRun } from '../../ports/schedule-store.ts';
import type { Schedule, ScheduleRun } from '../../protocol/schedule.ts';

/** A schedule as clients see it. */
export const scheduleView = (schedule: StoredSchedule): Schedule => ({
  id: schedule.id,
  owner: schedule.owner,
  label: schedule.label,
  tool: schedule.toolName,
  arguments: schedule.arguments,
  actor: schedule.actor,
  at: timestamp(schedule.at),
  cron: schedule.cron,
  timeZone: schedule.timeZone,
  startAt: timestamp(schedule.startAt),
  endAt: timestamp(schedule.endAt),
  maxRuns: schedule.maxRuns,
  timeoutMs: schedule.timeoutMs,
  missed: schedule.missed,
  overlap: schedule.overlap,
  state: schedule.state,
  nextRunAt: timestamp(schedule.nextAt),
  runCount: schedule.runCount,
  createdAt: new Date(schedule.createdAt).toISOString(),
  updatedAt: new Date(schedule.updatedAt).toISOString(),
});

/** A run as clients see it; its lease is the servers' own affair. */
export const scheduleRunView = (run: StoredScheduleRun): ScheduleRun => ({
  id: run.id,
  scheduleId: run.scheduleId,
  dueAt: new Date(run.dueAt).toISOString(),
  times: run.times,
  state: run.state,
  attempt: run.attempt,
  resultId: run.resultId,
  status: run.status,
  errorCode: run.errorCode,
  reason: run.reason,
  serverId: run.serverId,
  startedAt: timestamp(run.startedAt),
  finishedAt: timestamp(run.finishedAt),
});

const timestamp = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
