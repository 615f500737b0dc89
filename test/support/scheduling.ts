import { createScheduler, type Scheduler } from '../../src/runtime/scheduling/scheduler.ts';
import type { SchedulerDependencies } from '../../src/runtime/scheduling/scheduler-dependencies.ts';
import type { InvocationSource } from '../../src/protocol/invocation.ts';
import type { Schedule, ScheduleRun } from '../../src/protocol/schedule.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';
import { createMemoryRuntime, type MemoryRuntime, type MemoryRuntimeOptions } from './memory-runtime.ts';
import { recordMetrics } from './recorded-metrics.ts';

/** Noon on a Monday. */
export const NOON = Date.parse('2026-11-30T12:00:00.000Z');

export type ScheduledRuntime = MemoryRuntime & {
  readonly time: FakeTime;
  readonly metrics: ReturnType<typeof recordMetrics>;
  readonly scheduler: Scheduler;
  /** Another server on the same store. */
  another(changes?: Partial<SchedulerDependencies>): Scheduler;
  schedule(request: object, owner?: string, source?: InvocationSource): Promise<Schedule>;
  runsOf(schedule: Schedule): Promise<readonly ScheduleRun[]>;
  stateOf(schedule: Schedule): Promise<Schedule>;
  /** The `schedule` events so far, as state and due time. */
  told(): string[];
};

/** A runtime in memory with a scheduler on a clock of the test's own. */
export const createScheduledRuntime = (options: MemoryRuntimeOptions = {}): ScheduledRuntime => {
  const time = createFakeTime(NOON);
  const parts = createMemoryRuntime({ ...options, clock: time.clock });
  const metrics = recordMetrics();
  const dependencies: SchedulerDependencies = {
    schedules: parts.scheduleStore,
    runtime: parts.runtime,
    registry: parts.registry,
    rights: parts.rights,
    events: { emit: (event, address) => void emitted.push({ ...event, ...address }) },
    clock: time.clock,
    timers: time.timers,
    ids: parts.ids,
    logger: parts.logger,
    limits: parts.limits,
    metrics,
    serverId: 'one',
  };
  const emitted = parts.emitted as MemoryRuntime['emitted'][number][];
  const scheduler = createScheduler(dependencies);
  parts.schedules.onCreated(scheduler.wake);
  return {
    ...parts,
    time,
    metrics,
    scheduler,
    another: (changes = {}) => createScheduler({ ...dependencies, serverId: 'two', ...changes }),
    schedule: async (request, owner = 'alice', source = 'ai-loop') => {
      const actor = { type: 'agent', id: null, name: 'Nova', maid: 'Nova' } as const;
      const made = await parts.schedules.create({ tool: 'Sample', ...request }, { owner, actor, source });
      if (!made.ok) throw new Error(made.refusal.message);
      return made.schedule;
    },
    runsOf: async ({ id }) => (await parts.schedules.details(id, { limit: 1_000 }))?.runs ?? [],
    stateOf: async ({ id }) => (await parts.schedules.get(id)) as Schedule,
    told: () =>
      emitted.flatMap((event) =>
        event.type === 'schedule' ? [`${event.data.state} ${event.data.dueAt?.slice(11, 19) ?? '-'}`] : [],
      ),
  };
};
