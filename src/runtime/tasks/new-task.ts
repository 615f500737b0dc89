import { withCallerGiven } from '../../policy/caller-given.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { CommandDefinition, PluginDefinition } from '../../registry/plugin-definition.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from '../execute-request.ts';

export type TaskOrigin = {
  readonly request: ExecuteRequest;
  readonly invocationId: string;
  readonly requestId: string;
};

/** What each kind of task begins with otherwise. */
type OfKind = 'kind' | 'state' | 'stage' | 'message' | 'approvalId' | 'createdAt' | 'expiresAt';

/** A task with what it has of its call, before anything has come of it. */
export const newTask = (
  { request, invocationId, requestId }: TaskOrigin,
  plugin: PluginDefinition | null,
  { command }: CommandDefinition,
  ofKind: Pick<StoredTask, OfKind>,
  { ids, clock, knownPaths, serverId }: Pick<ToolRuntimeDependencies, 'ids' | 'clock' | 'knownPaths' | 'serverId'>,
): StoredTask => {
  const { context } = request;
  return {
    ...ofKind,
    id: ids.next('task'),
    owner: context.owner,
    toolName: plugin?.manifest.name ?? request.toolName,
    displayName: plugin?.manifest.displayName ?? null,
    pluginVersion: plugin?.manifest.version ?? null,
    command,
    progress: null,
    invocationId,
    requestId,
    source: context.source,
    actor: context.actor ?? null,
    requestIp: context.requestIp ?? null,
    nodeId: context.nodeId ?? null,
    extensions: withCallerGiven({}, request.arguments, knownPaths),
    acceptedResultId: null,
    resultId: null,
    serverId,
    updatedAt: clock.now(),
  };
};
