import { z } from 'zod';
import { ErrorCode } from './error.ts';
import { ResultId, ScheduleId, ScheduleRunId } from './ids.ts';
import { Actor } from './invocation.ts';
import { JsonObject } from './json.ts';
import { ToolStatus } from './status.ts';
import { Timestamp } from './timestamp.ts';

/** `ended`: no further run will begin; `cancelled`: somebody has ended it. What has run stays readable. */
export const ScheduleState = z.enum(['active', 'ended', 'cancelled']);
export type ScheduleState = z.infer<typeof ScheduleState>;

/**
 * `finished`: there is a result, good or bad; `missed`: its time passed while no server could run it; `skipped`: the run
 * before it still went on; `interrupted`: it was cut off, and nobody knows how far it came.
 */
export const ScheduleRunState = z.enum(['running', 'finished', 'missed', 'skipped', 'interrupted']);
export type ScheduleRunState = z.infer<typeof ScheduleRunState>;

/** What becomes of due times that have passed while no server ran: nothing, or one run now for all of them. */
export const MissedPolicy = z.enum(['skip', 'once']);
export type MissedPolicy = z.infer<typeof MissedPolicy>;

/** What becomes of a run that is due while the one before it still goes on. */
export const OverlapPolicy = z.enum(['skip', 'run']);
export type OverlapPolicy = z.infer<typeof OverlapPolicy>;

const label = z.string().min(1).max(200).meta({ description: 'For people.' });
const cron = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'Minute, hour, day of month, month, day of week; or six fields that begin with the second.' });
const timeZone = z.string().min(1).max(64).meta({ description: 'IANA time zone that `cron` is read in.' });
const missed = MissedPolicy.meta({
  description: 'Due times that passed while no server ran: `skip` them, or run `once` for all of them.',
});
const overlap = OverlapPolicy.meta({
  description: 'A run that is due while the one before it still goes on: `skip` it, or `run` it beside.',
});
const maxRuns = z.int().min(1).max(1_000_000).meta({ description: 'Runs after which the schedule ends.' });
const timeoutMs = z.int().min(1).max(86_400_000).meta({ description: 'Milliseconds that each run may take.' });

/** Fields that say something about a series, and nothing about a single time. */
const OF_SERIES = ['timeZone', 'startAt', 'endAt', 'maxRuns', 'overlap'] as const;

/** `POST /v1/schedules`: a call, and when it is to be made: at one time (`at`) or at many (`cron`). */
export const ScheduleRequest = z
  .strictObject({
    tool: z.string().min(1).max(256),
    arguments: JsonObject.default({}),
    label: label.optional(),
    at: Timestamp.optional().meta({ description: 'When to run, once (RFC 3339).' }),
    cron: cron.optional(),
    timeZone: timeZone.optional(),
    startAt: Timestamp.optional().meta({ description: 'No run of `cron` is due before.' }),
    endAt: Timestamp.optional().meta({ description: 'No run of `cron` is due after.' }),
    maxRuns: maxRuns.optional(),
    timeoutMs: timeoutMs.optional(),
    missed: missed.optional(),
    overlap: overlap.optional(),
  })
  .superRefine((request, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (request.at === undefined && request.cron === undefined) refuse([], 'needs a time: "at" or "cron"');
    if (request.at === undefined) return;
    if (request.cron !== undefined) refuse(['cron'], 'stands beside "at"; give one of them');
    for (const name of OF_SERIES) if (request[name] !== undefined) refuse([name], 'goes with "cron" only');
  })
  .meta({ id: 'schedule-request', title: 'ScheduleRequest', description: 'POST /v1/schedules.' });
export type ScheduleRequest = z.infer<typeof ScheduleRequest>;

/** A call that is made at its times, with the rights that its owner's key has then. */
export const Schedule = z
  .strictObject({
    id: ScheduleId,
    owner: z.string().meta({ description: 'Id of the key whose calls these are.' }),
    label: label.nullable(),
    tool: z.string(),
    arguments: JsonObject,
    actor: Actor.nullable(),
    at: Timestamp.nullable(),
    cron: cron.nullable(),
    timeZone: timeZone.nullable(),
    startAt: Timestamp.nullable(),
    endAt: Timestamp.nullable(),
    maxRuns: maxRuns.nullable(),
    timeoutMs: timeoutMs.nullable(),
    missed,
    overlap,
    state: ScheduleState,
    nextRunAt: Timestamp.nullable().meta({ description: 'When the next run is due; null when none will be.' }),
    runCount: z.int().min(0).meta({ description: 'Runs that have begun.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'schedule', title: 'Schedule', description: 'A call that is made at its times.' });
export type Schedule = z.infer<typeof Schedule>;

/** `GET /v1/schedules`, newest first. */
export const ScheduleListing = z
  .strictObject({ schedules: z.array(Schedule), nextCursor: z.string().nullable() })
  .meta({ id: 'schedule-listing', title: 'ScheduleListing', description: 'Schedules, newest first.' });
export type ScheduleListing = z.infer<typeof ScheduleListing>;

/** What became of one due time; of several that were missed together, `times` says how many. */
export const ScheduleRun = z
  .strictObject({
    id: ScheduleRunId,
    scheduleId: ScheduleId,
    dueAt: Timestamp.meta({ description: 'When it was due; of several that were missed, the first.' }),
    times: z.int().min(1).meta({ description: 'Due times that this stands for; of very many, at least so many.' }),
    state: ScheduleRunState,
    attempt: z.int().min(0).meta({ description: 'How often the call was begun; above 1 after an interruption.' }),
    resultId: ResultId.nullable(),
    status: ToolStatus.nullable().meta({ description: 'Status of the result.' }),
    errorCode: ErrorCode.nullable(),
    reason: z.string().nullable().meta({ description: 'Why there is no result.' }),
    serverId: z.string().nullable().meta({ description: 'The server that ran it.' }),
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'schedule-run', title: 'ScheduleRun', description: 'What became of a due time of a schedule.' });
export type ScheduleRun = z.infer<typeof ScheduleRun>;

/** `GET /v1/schedules/:id`: the schedule, and a page of its runs, newest first. */
export const ScheduleDetails = z
  .strictObject({ schedule: Schedule, runs: z.array(ScheduleRun), nextCursor: z.string().nullable() })
  .meta({ id: 'schedule-details', title: 'ScheduleDetails', description: 'A schedule with a page of its runs.' });
export type ScheduleDetails = z.infer<typeof ScheduleDetails>;
