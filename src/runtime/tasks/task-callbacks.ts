import type { CallbackReceiver } from './callback-receiver.ts';
import type { FinishDependencies } from './finish-task.ts';
import { receiveCallback } from './receive-callback.ts';

/** Callbacks of the tasks that are stored here. */
export const createTaskCallbacks = (finishing: FinishDependencies): CallbackReceiver => ({
  find: async (taskId) => {
    const task = await finishing.tasks.store.get(taskId);
    if (task === null) return null;
    const { toolName, requestId, invocationId } = task;
    return {
      taskId,
      toolName,
      ids: { requestId, invocationId },
      receive: (content, webhookId) => receiveCallback(task, content, webhookId, finishing),
    };
  },
});
