import { pointerToTarget } from '../../lib/json-pointer.ts';
import { InvalidCursor } from '../../lib/record-cursor.ts';
import { isTimeZone } from '../../lib/time-zone.ts';
import type { TransportCall } from '../../ports/transport.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Schedule, ScheduleState } from '../../protocol/schedule.ts';
import { scheduleFromTimelyContact } from '../../schedule/timely-contact.ts';
import type { ScheduleRefusal, ScheduleService } from '../scheduling/schedule-service.ts';
import type { BuiltInTool } from './built-in-tools.ts';
import { TASK_SCHEDULER_MANIFEST } from './task-scheduler-manifest.ts';

export type TaskSchedulerDependencies = {
  readonly schedules: ScheduleService;
  /** IANA time zone of times that name none. */
  readonly timeZone: string;
};

/**
 * The tool by which a model makes calls later. It makes them on behalf of its caller: only tools that the caller may use,
 * only schedules that are the caller's.
 */
export const taskScheduler = (dependencies: TaskSchedulerDependencies): BuiltInTool => ({
  manifest: TASK_SCHEDULER_MANIFEST,
  answer: (call) => {
    switch (call.command.commandIdentifier) {
      case 'CreateSchedule':
        return create(call, dependencies);
      case 'ListSchedules':
        return list(call, dependencies);
      default:
        return cancel(call, dependencies);
    }
  },
});

const create = async (
  call: TransportCall,
  { schedules, ...defaults }: TaskSchedulerDependencies,
): Promise<JsonObject> => {
  // One that makes others would fill the list by itself.
  if (call.source === 'scheduler') return failed('SCHEDULE.NESTED', 'a scheduled call makes no schedules', null);
  const {
    command: _,
    when,
    timeZone = defaults.timeZone,
    ...request
  } = call.arguments as JsonObject & {
    readonly when: string;
    readonly timeZone?: string;
  };
  if (!isTimeZone(timeZone)) return failed('INVALID_ARGUMENT', `"${timeZone}" is no time zone`, 'timeZone');
  const read = scheduleFromTimelyContact(when, timeZone);
  if (!read.ok) return failed('INVALID_ARGUMENT', read.message.replace('timely_contact', 'when'), 'when');
  const { owner, actor, source } = call;
  const made = await schedules.create({ ...request, ...read.times }, { owner, actor, source });
  if (!made.ok) return refused(made.refusal);
  return { status: 'success', data: { schedule: summaryOf(made.schedule, null) } };
};

const list = async ({ arguments: args, owner }: TransportCall, { schedules }: TaskSchedulerDependencies) => {
  const { state, limit = 20, cursor } = args as { state?: ScheduleState; limit?: number; cursor?: string };
  try {
    const page = await schedules.list({ owner, state, limit, cursor });
    const summaries = await Promise.all(
      page.schedules.map(async (schedule) => summaryOf(schedule, await lastRunOf(schedule, schedules))),
    );
    return { status: 'success', data: { schedules: summaries, nextCursor: page.nextCursor } };
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    return failed('INVALID_ARGUMENT', error.message, 'cursor');
  }
};

const cancel = async ({ arguments: args, owner }: TransportCall, { schedules }: TaskSchedulerDependencies) => {
  const { scheduleId } = args as { scheduleId: string };
  const found = await schedules.get(scheduleId);
  if (found?.owner !== owner)
    return failed('SCHEDULE.NOT_FOUND', `there is no schedule ${scheduleId} of this caller`, 'scheduleId');
  const now = (await schedules.cancel(scheduleId)) ?? (await schedules.get(scheduleId)) ?? found;
  if (now.state !== 'cancelled')
    return failed('SCHEDULE.ENDED', 'this schedule has ended already: no further run is due', 'scheduleId');
  return { status: 'success', data: { schedule: summaryOf(now, await lastRunOf(now, schedules)) } };
};

const lastRunOf = async ({ id }: Schedule, schedules: ScheduleService): Promise<JsonObject | null> => {
  const run = (await schedules.details(id, { limit: 1 }))?.runs[0];
  if (run === undefined) return null;
  const { dueAt, state, status, resultId, reason } = run;
  return { dueAt, state, status, resultId, reason };
};

const summaryOf = (schedule: Schedule, lastRun: JsonObject | null): JsonObject => {
  const { id, label, tool, nextRunAt, at, cron, timeZone, state, runCount } = schedule;
  return { scheduleId: id, title: label ?? tool, tool, time: nextRunAt, at, cron, timeZone, state, runCount, lastRun };
};

const refused = ({ code, message, issues }: ScheduleRefusal): JsonObject => {
  if (code === 'FORBIDDEN') return failed('FORBIDDEN', message, 'tool');
  if (code === 'TOO_MANY_SCHEDULES') return failed('SCHEDULE.TOO_MANY', message, null);
  // The caller has written the times in `when`.
  const written = issues.map(({ pointer, message: detail }) => ({
    pointer: pointer === '/at' || pointer === '/cron' ? '/when' : pointer,
    message: detail,
  }));
  const pointer = written[0]?.pointer ?? '';
  const words = written.map((issue) => `${issue.pointer || '(root)'} ${issue.message}`).join('; ');
  const target = pointer === '' ? null : pointerToTarget(pointer);
  return failed('INVALID_ARGUMENT', `the schedule is not valid: ${words}`.slice(0, 4_000), target, { issues: written });
};

const failed = (
  code: string,
  message: string,
  target: string | null,
  details: JsonObject | null = null,
): JsonObject => ({
  status: 'error',
  data: null,
  error: { code, message, target, details },
});
