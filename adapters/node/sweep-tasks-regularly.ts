import { describeFault } from '../../src/lib/describe-fault.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { TaskService } from '../../src/runtime/tasks/task-service.ts';

type Swept = {
  readonly tasks: TaskService;
  readonly logger: Logger;
  /** Whether tasks may be ended whose time is over. */
  mayEndTasks(): Promise<boolean>;
};

/** Ends overdue tasks while the server runs, every `everyMs`, one look at a time. Gives what ends it. */
export const sweepTasksRegularly = (everyMs: number, { tasks, logger, mayEndTasks }: Swept): (() => Promise<void>) => {
  let sweeping: Promise<void> | null = null;
  const timer = setInterval(() => {
    sweeping ??= tasks
      .sweep({ mayEndTasks })
      .catch((error: unknown) => logger.error('tasks.not-swept', { fault: describeFault(error) }))
      .finally(() => (sweeping = null));
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
};
