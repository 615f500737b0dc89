import { z } from 'zod';

/** Every id is a prefix and a 26-character ULID (Crockford base 32), so ids of one kind sort by time of creation. */
export const ID_PREFIXES = {
  result: 'tr_',
  invocation: 'ti_',
  request: 'req_',
  record: 'tcr_',
  task: 'task_',
  resource: 'res_',
  approval: 'apr_',
  event: 'evt_',
  schedule: 'sch_',
  scheduleRun: 'run_',
  inboxItem: 'inb_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const idOf = (kind: IdKind) =>
  z
    .string()
    .regex(new RegExp(`^${ID_PREFIXES[kind]}[0-7][0-9A-HJKMNP-TV-Z]{25}$`), {
      error: `must be ${ID_PREFIXES[kind]} followed by a ULID`,
    })
    .meta({ description: `${ID_PREFIXES[kind]} and a ULID` });

export const ResultId = idOf('result');
export const InvocationId = idOf('invocation');
export const RequestId = idOf('request');
export const RecordId = idOf('record');
export const TaskId = idOf('task');
export const ResourceId = idOf('resource');
export const ApprovalId = idOf('approval');
export const EventId = idOf('event');
export const ScheduleId = idOf('schedule');
export const ScheduleRunId = idOf('scheduleRun');
export const InboxItemId = idOf('inboxItem');
