import type { ApprovalHeader } from '../ports/approval-store.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';
import type { CallRun } from './call-run.ts';
import type { ToolRuntimeDependencies } from './execute-request.ts';
import { newTask } from './tasks/new-task.ts';
import { taskTimeout } from './tasks/task-timeout.ts';

/** Milliseconds after which a deferred call has surely had its end written, when somebody was there to do it. */
const SETTLING_MS = 60_000;

/** The task that a call goes on as whose caller does not wait for it, or not for its approval. */
export const newDeferredTask = (
  run: CallRun,
  command: CommandDefinition,
  approval: ApprovalHeader | null,
  dependencies: ToolRuntimeDependencies,
): StoredTask => {
  const { plugin, timeoutMs } = run;
  const { clock, limits } = dependencies;
  const now = clock.now();
  const isAsynchronous = command.command.async || plugin?.manifest.pluginType === 'asynchronous';
  const workMs = timeoutMs + (isAsynchronous && plugin !== null ? taskTimeout(plugin.manifest, limits) : 0);
  return newTask(
    run,
    plugin,
    command,
    {
      kind: 'deferred',
      state: 'queued',
      stage: approval === null ? null : 'approval',
      message: approval === null ? null : `waits for approval ${approval.id}`,
      approvalId: approval?.id ?? null,
      createdAt: approval?.createdAt ?? now,
      // It is ended by its approval and by its call's own deadline; this is for when nobody is left who knows.
      expiresAt: (approval === null ? now : approval.expiresAt + limits.approvalMs) + workMs + SETTLING_MS,
    },
    dependencies,
  );
};
