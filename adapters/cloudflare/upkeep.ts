import { describeFault } from '../../src/lib/describe-fault.ts';
import { collectGarbage, type CollectionDependencies } from '../../src/runtime/collect-garbage.ts';
import type { SchedulerDependencies } from '../../src/runtime/scheduling/scheduler-dependencies.ts';
import type { TaskService } from '../../src/runtime/tasks/task-service.ts';
import type { ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import type { Scheduling } from './open-scheduling.ts';

/** The Cron trigger of looks, beside which another one collects garbage. */
export const EVERY_MINUTE = '* * * * *';

/**
 * What no request does: elsewhere timers see to it, here the platform's Cron triggers. Runs what is scheduled, ends tasks
 * whose time is over, and goes on with approved calls; a trigger of other times removes what has had its time as well.
 * Resolves when all that was begun has ended.
 */
export type Upkeep = (cron: string | undefined) => Promise<void>;

export type UpkeepDependencies = Omit<CollectionDependencies, 'tasks'> & {
  readonly scheduling: Pick<Scheduling, 'lookOnce' | 'removeEnded'>;
  readonly runtime: Pick<ToolRuntime, 'execute' | 'approvals'>;
  readonly tasks: TaskService;
} & Pick<SchedulerDependencies, 'serverId'>;

export const createUpkeep = ({ scheduling, runtime, serverId, ...stores }: UpkeepDependencies): Upkeep => {
  const { tasks, logger } = stores;

  return async (cron) => {
    const errands: Record<string, () => Promise<unknown>> = {
      'schedules.not-looked': () => scheduling.lookOnce({ runtime, serverId }),
      'tasks.not-swept': () => tasks.sweep(),
      'approvals.not-attended': async () => (await runtime.approvals.attend()).ended,
    };
    if (cron !== EVERY_MINUTE) {
      errands['garbage.not-collected'] = () => collectGarbage(stores);
      errands['schedules.not-removed'] = () => scheduling.removeEnded();
    }
    // Each has its turn, whatever becomes of the others; the platform is told of the first that failed.
    const outcomes = await Promise.allSettled(
      Object.entries(errands).map(async ([event, errand]) => {
        try {
          await errand();
        } catch (error) {
          logger.error(event, { fault: describeFault(error) });
          throw error;
        }
      }),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  };
};
