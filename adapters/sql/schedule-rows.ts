import type { ScheduleDefinition, StoredSchedule, StoredScheduleRun } from '../../src/ports/schedule-store.ts';
import type { ScheduleRunState, ScheduleState } from '../../src/protocol/schedule.ts';
import type { ToolStatus } from '../../src/protocol/status.ts';
import { sqlTime } from './sql-time.ts';
import type { ScheduleRow, ScheduleRunRow } from './tables.ts';

export const SCHEDULE_COLUMNS = [
  'id',
  'owner',
  'tool_name',
  'definition',
  'state',
  'next_at',
  'run_count',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ScheduleRow)[];

export const RUN_COLUMNS = [
  'id',
  'schedule_id',
  'due_at',
  'times',
  'state',
  'attempt',
  'is_repeatable',
  'lease_until',
  'server_id',
  'result_id',
  'status',
  'error_code',
  'reason',
  'started_at',
  'finished_at',
] as const satisfies readonly (keyof ScheduleRunRow)[];

export const scheduleRow = (schedule: StoredSchedule): ScheduleRow => {
  const { id, owner, toolName, state, nextAt, runCount, createdAt, updatedAt, ...definition } = schedule;
  return {
    id,
    owner,
    tool_name: toolName,
    definition: JSON.stringify(definition),
    state,
    next_at: timeText(nextAt),
    run_count: runCount,
    created_at: sqlTime(createdAt),
    updated_at: sqlTime(updatedAt),
  };
};

export const scheduleOf = (row: ScheduleRow): StoredSchedule => ({
  ...(JSON.parse(row.definition) as ScheduleDefinition),
  id: row.id,
  owner: row.owner,
  toolName: row.tool_name,
  state: row.state as ScheduleState,
  nextAt: timeOf(row.next_at),
  runCount: Number(row.run_count),
  createdAt: Date.parse(row.created_at),
  updatedAt: Date.parse(row.updated_at),
});

export const runRow = (run: StoredScheduleRun): ScheduleRunRow => ({
  id: run.id,
  schedule_id: run.scheduleId,
  due_at: sqlTime(run.dueAt),
  times: run.times,
  state: run.state,
  attempt: run.attempt,
  is_repeatable: run.isRepeatable ? 1 : 0,
  lease_until: timeText(run.leaseUntil),
  server_id: run.serverId,
  result_id: run.resultId,
  status: run.status,
  error_code: run.errorCode,
  reason: run.reason,
  started_at: timeText(run.startedAt),
  finished_at: timeText(run.finishedAt),
});

export const runOf = (row: ScheduleRunRow): StoredScheduleRun => ({
  id: row.id,
  scheduleId: row.schedule_id,
  dueAt: Date.parse(row.due_at),
  times: Number(row.times),
  state: row.state as ScheduleRunState,
  attempt: Number(row.attempt),
  isRepeatable: row.is_repeatable === 1,
  leaseUntil: timeOf(row.lease_until),
  serverId: row.server_id,
  resultId: row.result_id,
  status: row.status as ToolStatus | null,
  errorCode: row.error_code,
  reason: row.reason,
  startedAt: timeOf(row.started_at),
  finishedAt: timeOf(row.finished_at),
});

const timeText = (time: number | null): string | null => (time === null ? null : sqlTime(time));

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));
