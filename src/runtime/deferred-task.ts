import { withCallerGiven } from '../policy/caller-given.ts';
import type { ApprovalHeader } from '../ports/approval-store.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';
import type { CallRun } from './call-run.ts';
import type { ToolRuntimeDependencies } from './execute-request.ts';
import { taskTimeout } from './tasks/task-timeout.ts';

/** Milliseconds after which a deferred call has surely had its end written, when somebody was there to do it. */
const SETTLING_MS = 60_000;

/** The task that a call goes on as whose caller does not wait for it, or not for its approval. */
export const newDeferredTask = (
  { request, plugin, invocationId, requestId, timeoutMs }: CallRun,
  { command }: CommandDefinition,
  approval: ApprovalHeader | null,
  { ids, clock, limits, serverId, knownPaths }: ToolRuntimeDependencies,
): StoredTask => {
  const { context } = request;
  const now = clock.now();
  const isAsynchronous = command.async || plugin?.manifest.pluginType === 'asynchronous';
  const workMs = timeoutMs + (isAsynchronous && plugin !== null ? taskTimeout(plugin.manifest, limits) : 0);
  return {
    id: ids.next('task'),
    owner: context.owner,
    kind: 'deferred',
    toolName: request.toolName,
    displayName: plugin?.manifest.displayName ?? null,
    pluginVersion: plugin?.manifest.version ?? null,
    command,
    state: 'queued',
    progress: null,
    stage: approval === null ? null : 'approval',
    message: approval === null ? null : `waits for approval ${approval.id}`,
    invocationId,
    requestId,
    source: context.source,
    actor: context.actor ?? null,
    requestIp: context.requestIp ?? null,
    nodeId: context.nodeId ?? null,
    extensions: withCallerGiven({}, request.arguments, knownPaths),
    acceptedResultId: null,
    resultId: null,
    approvalId: approval?.id ?? null,
    serverId,
    createdAt: approval?.createdAt ?? now,
    updatedAt: now,
    // It is ended by its approval and by its call's own deadline; this is for when nobody is left who knows.
    expiresAt: (approval === null ? now : approval.expiresAt + limits.approvalMs) + workMs + SETTLING_MS,
  };
};
