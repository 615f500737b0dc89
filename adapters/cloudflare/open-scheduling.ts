import { systemTimers } from '../../src/ports/timers.ts';
import { noMetrics } from '../../src/ports/metrics.ts';
import type { BuiltInTool } from '../../src/runtime/built-in/built-in-tools.ts';
import { taskScheduler } from '../../src/runtime/built-in/task-scheduler.ts';
import { createScheduler } from '../../src/runtime/scheduling/scheduler.ts';
import { removeEndedSchedules } from '../../src/runtime/scheduling/remove-ended-schedules.ts';
import type { SchedulerDependencies } from '../../src/runtime/scheduling/scheduler-dependencies.ts';
import {
  createScheduleService,
  type ScheduleService,
  type ScheduleServiceDependencies,
} from '../../src/runtime/scheduling/schedule-service.ts';

export type Scheduling = {
  readonly service: ScheduleService;
  /** The tool by which models make schedules. */
  readonly tool: BuiltInTool;
  /** Runs what is due, and resolves when it has ended. */
  lookOnce(parts: Pick<SchedulerDependencies, 'runtime' | 'serverId'>): Promise<void>;
  /** Removes what ended long ago. */
  removeEnded(): Promise<void>;
};

/** Puts the parts of scheduled calls together. */
export const openScheduling = (dependencies: ScheduleServiceDependencies): Scheduling => {
  const service = createScheduleService(dependencies);
  return {
    service,
    tool: taskScheduler({ schedules: service, timeZone: dependencies.timeZone }),
    // Each look has a scheduler of its own: the timers of one invocation end with it, and no other may wait for them.
    lookOnce: (parts) =>
      createScheduler({ ...dependencies, ...parts, timers: systemTimers, metrics: noMetrics }).lookOnce(),
    removeEnded: async () => {
      while (await removeEndedSchedules(dependencies));
    },
  };
};
