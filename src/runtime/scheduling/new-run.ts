import type { StoredSchedule, StoredScheduleRun } from '../../ports/schedule-store.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import { resolveCommand } from '../../validate/resolve-command.ts';
import type { SchedulerDependencies } from './scheduler-dependencies.ts';

type NewRun =
  | { readonly state: 'running'; readonly isRepeatable: boolean }
  | { readonly state: 'missed' | 'skipped'; readonly times?: number; readonly reason: string };

/** The row of a due time, for a run of this server that begins now or for one that does not take place. */
export const newRun = (
  { ids, clock, limits, serverId }: SchedulerDependencies,
  { id: scheduleId }: StoredSchedule,
  dueAt: number,
  run: NewRun,
): StoredScheduleRun => {
  const now = clock.now();
  const runs = run.state === 'running';
  return {
    id: ids.next('scheduleRun'),
    scheduleId,
    dueAt,
    times: runs ? 1 : (run.times ?? 1),
    state: run.state,
    attempt: runs ? 1 : 0,
    isRepeatable: runs && run.isRepeatable,
    leaseUntil: runs ? now + limits.scheduleLeaseMs : null,
    serverId: runs ? serverId : null,
    resultId: null,
    status: null,
    errorCode: null,
    reason: runs ? null : run.reason,
    startedAt: runs ? now : null,
    finishedAt: runs ? null : now,
  };
};

/** Whether doing it twice would do no harm, by the manifest of now. */
export const isRepeatableCall = (registry: ToolRegistry, schedule: StoredSchedule): boolean => {
  const plugin = registry.get(schedule.toolName);
  if (plugin === null) return false;
  const resolved = resolveCommand(plugin, schedule.arguments);
  return resolved.ok && resolved.command.command.idempotent;
};
