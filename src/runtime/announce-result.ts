import { callerGiven } from '../policy/caller-given.ts';
import { utf8Size } from '../lib/utf8-size.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { PluginManifest } from '../protocol/manifest.ts';
import type { Limits } from '../lib/limits.ts';

/** A result that is stored, and what the events of it depend on. */
export type FinishedCall = {
  readonly result: CanonicalToolResult;
  readonly owner: string;
  /** Of the version that was called; null for a tool that is not there. */
  readonly manifest: PluginManifest | null;
};

/**
 * Tells the owner of a result that it is there, and pushes what the manifest's `webSocketPush` asks for. For every
 * result that is stored: of a call, and of a task that has ended.
 */
export const announceResult = (
  { result, owner, manifest }: FinishedCall,
  { events, limits }: { readonly events: EventSink; readonly limits: Pick<Limits, 'eventBytes'> },
): void => {
  const ids = {
    invocationId: result.execution.invocationId,
    requestId: result.execution.requestId,
    resultId: result.id,
    recordId: result.execution.recordId,
    taskId: result.task?.id ?? null,
    toolName: result.tool.name,
  };
  const audience = { to: 'owner', owner } as const;
  const { status, error } = result;
  const data = { status, errorCode: error?.code ?? null, command: result.tool.command };
  events.emit({ type: 'result', ...ids, data }, { audience });

  const push = manifest?.webSocketPush;
  // A call that was only accepted has not ended: its task will.
  if (manifest === null || push === undefined || !push.enabled || status === 'accepted') return;
  const message = push.usePluginResultAsMessage ? messageOf(result, limits.eventBytes) : { status };
  events.emit(
    { type: 'plugin_message', ...ids, data: { plugin: manifest.name, name: push.messageType, message } },
    { audience, clientType: push.targetClientType, given: callerGiven(result) },
  );
};

/** What a person would be shown of the result; data that is too large for an event is left out, and read by its id. */
const messageOf = ({ status, data, error }: CanonicalToolResult, mostBytes: number): JsonObject => {
  const fault = error === null ? null : { code: error.code, message: error.message };
  const isTooLarge = sizeOf(data) > mostBytes;
  return { status, data: isTooLarge ? null : (data as JsonObject), error: fault, omitted: isTooLarge ? ['/data'] : [] };
};

/** A text that is too long to be made at all is too large. */
const sizeOf = (data: unknown): number => {
  try {
    return utf8Size(JSON.stringify(data));
  } catch {
    return Infinity;
  }
};
