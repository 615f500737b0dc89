import { issuesOf, type Issue } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import type { CallerRights } from '../../ports/caller-rights.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventSink } from '../../ports/event-sink.ts';
import type { IdSource } from '../../ports/id-source.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ScheduleQuery, ScheduleStore, StoredSchedule } from '../../ports/schedule-store.ts';
import type { Actor, InvocationSource } from '../../protocol/invocation.ts';
import { ScheduleRequest, type Schedule, type ScheduleDetails, type ScheduleListing } from '../../protocol/schedule.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import { planSchedule } from '../../schedule/plan-schedule.ts';
import { checkScheduledCall } from './check-scheduled-call.ts';
import { scheduleRunView, scheduleView } from './schedule-view.ts';
import { tellSchedule } from './tell-schedule.ts';

/** On whose behalf a schedule is made. */
/** Whose calls a schedule makes, and how it was asked for. */
export type ScheduleMaker = {
  readonly owner: string;
  readonly actor: Actor | null;
  readonly source: InvocationSource;
};

export type ScheduleRefusal = {
  readonly code: 'INVALID_REQUEST' | 'FORBIDDEN' | 'TOO_MANY_SCHEDULES';
  readonly message: string;
  /** Where the request is at fault, as JSON Pointers into it. */
  readonly issues: readonly Issue[];
};

export type MadeSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly refusal: ScheduleRefusal };

/** The schedules of a server as they are made, read and ended; running them is the scheduler's part. */
export type ScheduleService = {
  /** Checks a request, with its tool and arguments as they are now, and keeps it. */
  create(request: unknown, maker: ScheduleMaker): Promise<MadeSchedule>;
  /** Newest first. Throws `InvalidCursor`. */
  list(query: ScheduleQuery): Promise<ScheduleListing>;
  get(id: string): Promise<Schedule | null>;
  /** A schedule with a page of its runs; null when it is not there. Throws `InvalidCursor`. */
  details(
    id: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<ScheduleDetails | null>;
  /** Ends an active schedule; runs that go on end as they would. Null when it was not active. */
  cancel(id: string): Promise<Schedule | null>;
  /** Hears of every new schedule, so that a due time may come before the next look. */
  onCreated(listener: () => void): void;
};

export type ScheduleServiceDependencies = {
  readonly schedules: ScheduleStore;
  readonly registry: ToolRegistry;
  readonly rights: CallerRights;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly limits: Limits;
  /** IANA time zone of a `cron` that names none. */
  readonly timeZone: string;
};

export const createScheduleService = (dependencies: ScheduleServiceDependencies): ScheduleService => {
  const { schedules, registry, rights, events, clock, ids, logger, limits, timeZone } = dependencies;
  const listeners: (() => void)[] = [];

  const create: ScheduleService['create'] = async (given, { owner, actor, source }) => {
    const parsed = ScheduleRequest.safeParse(given);
    if (!parsed.success) return invalid(issuesOf(parsed.error));
    const request = parsed.data;
    const refusal = rights.refusalOf(owner, request.tool);
    if (refusal !== null) return refused('FORBIDDEN', refusal);
    const faults = checkScheduledCall(request, registry, limits, (name) => rights.refusalOf(owner, name) === null);
    if (faults.length > 0) return invalid(faults);
    const { scheduleArgumentsBytes } = limits;
    if (new TextEncoder().encode(jsonTextOf(request.arguments)).length > scheduleArgumentsBytes)
      return invalid([{ pointer: '/arguments', message: `have at most ${scheduleArgumentsBytes} bytes as JSON` }]);
    const now = clock.now();
    const planned = planSchedule(request, { now, timeZone, limits });
    if (!planned.ok) return invalid(planned.issues);
    const schedule: StoredSchedule = {
      id: ids.next('schedule'),
      owner,
      toolName: request.tool,
      label: request.label ?? null,
      arguments: request.arguments,
      actor,
      source,
      ...planned.timing,
      maxRuns: request.maxRuns ?? null,
      timeoutMs: request.timeoutMs ?? null,
      // A single time is somebody's appointment; of a series, the next one comes anyway.
      missed: request.missed ?? (planned.timing.cron === null ? 'once' : 'skip'),
      overlap: request.overlap ?? 'skip',
      state: 'active',
      nextAt: planned.firstAt,
      runCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await schedules.create(schedule, limits.schedulesPerOwner)))
      return refused(
        'TOO_MANY_SCHEDULES',
        `this key has ${limits.schedulesPerOwner} active schedules already, the most that it may have; cancel one first`,
      );
    logger.info('schedule.created', { scheduleId: schedule.id, toolName: schedule.toolName });
    tellSchedule(events, schedule, 'created', { dueAt: schedule.nextAt });
    for (const listener of listeners) listener();
    return { ok: true, schedule: scheduleView(schedule) };
  };

  return {
    create,
    list: async (query) => {
      const page = await schedules.list(query);
      return { schedules: page.schedules.map(scheduleView), nextCursor: page.nextCursor };
    },
    get: async (id) => {
      const schedule = await schedules.get(id);
      return schedule === null ? null : scheduleView(schedule);
    },
    details: async (id, page) => {
      const schedule = await schedules.get(id);
      if (schedule === null) return null;
      const { runs, nextCursor } = await schedules.listRuns({ scheduleId: id, ...page });
      return { schedule: scheduleView(schedule), runs: runs.map(scheduleRunView), nextCursor };
    },
    cancel: async (id) => {
      if (!(await schedules.cancel(id, clock.now()))) return null;
      const schedule = await schedules.get(id);
      if (schedule === null) return null;
      logger.info('schedule.cancelled', { scheduleId: id, toolName: schedule.toolName });
      tellSchedule(events, schedule, 'cancelled');
      return scheduleView(schedule);
    },
    onCreated: (listener) => void listeners.push(listener),
  };
};

const invalid = (issues: readonly Issue[]): MadeSchedule => ({
  ok: false,
  refusal: {
    code: 'INVALID_REQUEST',
    message: `the schedule is not valid: ${issues.map(({ pointer, message }) => `${pointer || '(root)'} ${message}`).join('; ')}`,
    issues,
  },
});

const refused = (code: ScheduleRefusal['code'], message: string): MadeSchedule => ({
  ok: false,
  refusal: { code, message, issues: [] },
});
