import type { CallRecord } from '../ports/call-store.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../protocol/json.ts';

/** The row by which a call is found again, around its audit projection (§4.9). Null when the call is not recorded. */
export const buildCallRecord = (result: CanonicalToolResult, audit: JsonObject, owner: string): CallRecord | null => {
  const { execution } = result;
  if (execution.recordId === null) return null;
  return {
    id: execution.recordId,
    owner,
    resultId: result.id,
    invocationId: execution.invocationId,
    requestId: execution.requestId,
    toolName: result.tool.name,
    command: result.tool.command,
    status: result.status,
    errorCode: result.error?.code ?? null,
    source: result.origin.source,
    actor: result.actor?.name ?? result.actor?.id ?? null,
    startedAt: execution.startedAt,
    durationMs: execution.durationMs,
    audit,
  };
};
