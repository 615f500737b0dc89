import type { Limits } from '../../lib/limits.ts';
import type { CallerRights } from '../../ports/caller-rights.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventSink } from '../../ports/event-sink.ts';
import type { IdSource } from '../../ports/id-source.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { ScheduleStore } from '../../ports/schedule-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { ToolRuntime } from '../tool-runtime.ts';

/** Everything that running schedules needs, handed in. */
export type SchedulerDependencies = {
  readonly schedules: ScheduleStore;
  readonly runtime: Pick<ToolRuntime, 'execute'>;
  readonly registry: ToolRegistry;
  readonly rights: CallerRights;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly serverId: string;
};
