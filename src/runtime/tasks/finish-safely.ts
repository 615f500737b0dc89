import { describeFault } from '../../lib/describe-fault.ts';
import type { Logger } from '../../ports/logger.ts';
import type { TaskFinish } from '../../ports/transport.ts';
import { finishHere } from './finish-task.ts';

/**
 * Ends a task for a module that works on in this process, and raises nothing. Nobody waits for such work, so what it does
 * not catch would end the whole server: a store that fails is an answer like any other, and the task goes on.
 */
export const finishSafely = async (
  logger: Logger,
  ...[task, ...finishing]: Parameters<typeof finishHere>
): Promise<TaskFinish> => {
  try {
    return await finishHere(task, ...finishing);
  } catch (error) {
    logger.error('task.not-ended', { taskId: task.id, fault: describeFault(error) });
    const message = 'the result could not be stored; the task goes on, and may be finished again';
    return { ok: false, code: 'INTERNAL_ERROR', message, issues: [] };
  }
};
