import type { FinishedCall } from '../../ports/call-store.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { BackgroundWork, TransportTask } from '../../ports/transport.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { CommandDefinition, PluginDefinition } from '../../registry/plugin-definition.ts';
import type { ToolRuntimeDependencies } from '../execute-request.ts';
import { newTask, type TaskOrigin } from './new-task.ts';
import { taskTimeout } from './task-timeout.ts';

/** The task that a call under way belongs to. */
export type CallTask = {
  readonly stored: StoredTask;
  /** What the plugin is told. */
  given(finish: TransportTask['finish']): Promise<TransportTask>;
  /** Keeps the call: as the one that accepted the work, or as the end of the task; false when that has another end already. */
  save(call: FinishedCall): Promise<boolean>;
  adopt(work: BackgroundWork): void;
  endedWith(): Promise<CanonicalToolResult | null>;
  /** The call has its outcome. */
  leave(): void;
};

/** What is known of a call when its task is made. */
export type BegunCall = TaskOrigin & {
  readonly startedAt: number;
  /** The approval that the call has used, where it needed one. */
  approvalId(): string | null;
  /** Ends the call. */
  cancel(): void;
};

/** Makes the task of a call; it is stored before the plugin hears of it, so that a callback always finds it. */
export const beginTask = async (
  begun: BegunCall,
  plugin: PluginDefinition,
  command: CommandDefinition,
  dependencies: ToolRuntimeDependencies,
): Promise<CallTask> => {
  const { startedAt, approvalId, cancel } = begun;
  const stored = newTask(
    begun,
    plugin,
    command,
    {
      kind: 'plugin',
      state: 'created',
      stage: null,
      message: null,
      approvalId: approvalId(),
      createdAt: startedAt,
      expiresAt: startedAt + taskTimeout(plugin.manifest, dependencies.limits),
    },
    dependencies,
  );
  await dependencies.tasks.create(stored);
  return callTaskOf(stored, cancel, dependencies);
};

/** A task that is there already, and that a call carries out. */
export const callTaskOf = (
  stored: StoredTask,
  cancel: () => void,
  { tasks, callbacks }: Pick<ToolRuntimeDependencies, 'tasks' | 'callbacks'>,
): CallTask => {
  const leave = tasks.underway(stored.id, cancel);
  return {
    stored,
    given: async (finish) => ({
      id: stored.id,
      callbackUrl: callbacks.urlOf(stored.toolName, stored.id),
      token: await callbacks.tokenOf(stored.toolName, stored.id, stored.expiresAt),
      finish,
    }),
    save: async (call) => {
      if (call.result.status !== 'accepted') return await tasks.settle(stored, call);
      await tasks.accept(stored, call);
      return true;
    },
    adopt: (work) => {
      const stop = () => {
        work.stop();
        // A module in this process still looks at the signal of its call.
        cancel();
      };
      tasks.adopt(stored, { ...work, stop });
    },
    endedWith: () => tasks.endedWith(stored.id),
    leave,
  };
};
