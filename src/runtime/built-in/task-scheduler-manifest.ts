import type { JsonObject } from '../../protocol/json.ts';

const text = (description: string, maxLength: number) => ({ type: 'string', minLength: 1, maxLength, description });
const orNull = (type: string) => ({ type: [type, 'null'] });
const command = (name: string) => ({ const: name });

const summary = {
  type: 'object',
  properties: {
    scheduleId: { type: 'string' },
    title: { type: 'string', description: 'Its label, or else its tool.' },
    tool: { type: 'string' },
    time: { type: ['string', 'null'], description: 'When the next run is due; null when none will be.' },
    at: orNull('string'),
    cron: orNull('string'),
    timeZone: orNull('string'),
    state: { enum: ['active', 'ended', 'cancelled'] },
    runCount: { type: 'integer', minimum: 0 },
    lastRun: {
      type: ['object', 'null'],
      properties: {
        dueAt: { type: 'string' },
        state: { type: 'string' },
        status: orNull('string'),
        resultId: orNull('string'),
        reason: orNull('string'),
      },
      required: ['dueAt', 'state', 'status', 'resultId', 'reason'],
      additionalProperties: false,
    },
  },
  required: ['scheduleId', 'title', 'tool', 'time', 'at', 'cron', 'timeZone', 'state', 'runCount', 'lastRun'],
  additionalProperties: false,
};

const one = {
  type: 'object',
  properties: { schedule: summary },
  required: ['schedule'],
  additionalProperties: false,
};

/** `plugin-manifest.json` of the scheduler, as a plugin of somebody else would have it. */
export const TASK_SCHEDULER_MANIFEST = {
  manifestVersion: '1.0',
  name: 'TaskScheduler',
  displayName: 'Task scheduler',
  version: '1.0.0',
  description: 'Calls a tool later: once at a given time, or again and again by a cron expression.',
  pluginType: 'hybridservice',
  toolResultProtocol: { name: 'vcp.tool-result', version: '1.0' },
  entryPoint: { type: 'module', file: 'task-scheduler' },
  communication: { protocol: 'direct' },
  capabilities: {
    invocationCommands: [
      {
        commandIdentifier: 'CreateSchedule',
        displayName: 'Schedule a call',
        description:
          'Makes a call later. `tool` and `arguments` are those of the call; they are checked now. Give a time by `when`: ' +
          '"2026-12-01-09:30" (local time of the server), "2026-12-01T09:30:00+01:00", or a cron expression of five or ' +
          'six fields such as "30 9 * * MON-FRI". A series may end with `endAt` or after `maxRuns`.',
        inputSchema: {
          type: 'object',
          properties: {
            command: command('CreateSchedule'),
            tool: text('Name of the tool to call.', 256),
            arguments: { type: 'object', default: {}, description: 'Arguments of the call, as the tool takes them.' },
            when: text('A time, or a cron expression.', 128),
            timeZone: text('IANA time zone of `when`, such as Europe/Berlin; that of the server by default.', 64),
            label: text('What it is for, in words.', 200),
            startAt: text('RFC 3339: no run of a cron expression is due before.', 64),
            endAt: text('RFC 3339: no run of a cron expression is due after.', 64),
            maxRuns: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Runs after which it ends.' },
            timeoutMs: {
              type: 'integer',
              minimum: 1,
              maximum: 86_400_000,
              description: 'Milliseconds that each run may take.',
            },
            missed: {
              enum: ['skip', 'once'],
              description:
                'Times that pass while the server is down: skip them (usual for a series), or run once for all of them (usual for a single time).',
            },
            overlap: {
              enum: ['skip', 'run'],
              description:
                'A run that is due while the one before it still goes on: skip it (usual), or run it beside.',
            },
          },
          required: ['command', 'tool', 'when'],
          additionalProperties: false,
        },
        outputSchema: one,
        errorCodes: ['SCHEDULE.TOO_MANY', 'SCHEDULE.NESTED'],
      },
      {
        commandIdentifier: 'ListSchedules',
        displayName: 'List schedules',
        description: 'Lists the scheduled calls of the caller, newest first, each with its next time and its last run.',
        inputSchema: {
          type: 'object',
          properties: {
            command: command('ListSchedules'),
            state: { enum: ['active', 'ended', 'cancelled'], description: 'Only those in this state.' },
            limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Most schedules.' },
            cursor: text('`nextCursor` of the answer before.', 256),
          },
          required: ['command'],
          additionalProperties: false,
        },
        outputSchema: {
          type: 'object',
          properties: { schedules: { type: 'array', items: summary }, nextCursor: orNull('string') },
          required: ['schedules', 'nextCursor'],
          additionalProperties: false,
        },
        idempotent: true,
        presentation: { preferredView: 'schedule-list' },
      },
      {
        commandIdentifier: 'CancelSchedule',
        displayName: 'Cancel a schedule',
        description: 'Ends a schedule: no further run begins. What it has run stays readable.',
        inputSchema: {
          type: 'object',
          properties: {
            command: command('CancelSchedule'),
            scheduleId: { type: 'string', pattern: '^sch_[0-9A-Z]{26}$', description: 'Id of the schedule.' },
          },
          required: ['command', 'scheduleId'],
          additionalProperties: false,
        },
        outputSchema: one,
        errorCodes: ['SCHEDULE.NOT_FOUND', 'SCHEDULE.ENDED'],
        idempotent: true,
      },
    ],
  },
} satisfies JsonObject;
