import { taskScheduler } from '../../src/runtime/built-in/task-scheduler.ts';
import type { BuiltInTool } from '../../src/runtime/built-in/built-in-tools.ts';
import { createScheduler, type Scheduler } from '../../src/runtime/scheduling/scheduler.ts';
import type { SchedulerDependencies } from '../../src/runtime/scheduling/scheduler-dependencies.ts';
import {
  createScheduleService,
  type ScheduleService,
  type ScheduleServiceDependencies,
} from '../../src/runtime/scheduling/schedule-service.ts';
import { nodeTimers } from './timers.ts';

export type Scheduling = {
  readonly service: ScheduleService;
  /** The tool by which models make schedules. */
  readonly tool: BuiltInTool;
  /** What runs them, not started yet. It comes last: it needs the runtime, which needs the tool. */
  schedulerOver(parts: Pick<SchedulerDependencies, 'runtime' | 'metrics' | 'serverId'>): Scheduler;
};

/** Puts the parts of scheduled calls together. */
export const openScheduling = (dependencies: ScheduleServiceDependencies): Scheduling => {
  const service = createScheduleService(dependencies);
  return {
    service,
    tool: taskScheduler({ schedules: service, timeZone: dependencies.timeZone }),
    schedulerOver: (parts) => {
      const scheduler = createScheduler({ ...dependencies, ...parts, timers: nodeTimers });
      service.onCreated(scheduler.wake);
      return scheduler;
    },
  };
};
