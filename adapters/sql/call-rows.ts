import { jsonTextOf } from '../../src/lib/json-text.ts';
import type { CallRecord, FinishedCall, StoredResource } from '../../src/ports/call-store.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ResourceDescriptor } from '../../src/protocol/resource.ts';
import type { ToolStatus } from '../../src/protocol/status.ts';
import type { RecordRow, ResourceRow, ResultRow } from './tables.ts';

export const RESULT_COLUMNS = ['id', 'owner', 'tool_name', 'status', 'created_at', 'body'] as const;
export const RECORD_COLUMNS = [
  'id',
  'owner',
  'result_id',
  'invocation_id',
  'request_id',
  'tool_name',
  'command',
  'status',
  'error_code',
  'source',
  'actor',
  'started_at',
  'duration_ms',
  'audit',
] as const;
export const RESOURCE_COLUMNS = ['id', 'owner', 'result_id', 'sha256', 'created_at', 'descriptor'] as const;

export const resultRow = ({ owner, result }: FinishedCall): ResultRow => ({
  id: result.id,
  owner,
  tool_name: result.tool.name,
  status: result.status,
  created_at: result.execution.finishedAt,
  body: jsonTextOf(result),
});

export const recordRow = (record: CallRecord): RecordRow => ({
  id: record.id,
  owner: record.owner,
  result_id: record.resultId,
  invocation_id: record.invocationId,
  request_id: record.requestId,
  tool_name: record.toolName,
  command: record.command,
  status: record.status,
  error_code: record.errorCode,
  source: record.source,
  actor: record.actor,
  started_at: record.startedAt,
  duration_ms: record.durationMs,
  audit: JSON.stringify(record.audit),
});

export const recordOf = (row: RecordRow): CallRecord => ({
  id: row.id,
  owner: row.owner,
  resultId: row.result_id,
  invocationId: row.invocation_id,
  requestId: row.request_id,
  toolName: row.tool_name,
  command: row.command,
  status: row.status as ToolStatus,
  errorCode: row.error_code,
  source: row.source,
  actor: row.actor,
  startedAt: row.started_at,
  durationMs: Number(row.duration_ms),
  audit: JSON.parse(row.audit) as JsonObject,
});

export const resourceRow = ({ descriptor, owner, resultId, createdAt }: StoredResource): ResourceRow => ({
  id: descriptor.id,
  owner,
  result_id: resultId,
  sha256: descriptor.sha256,
  created_at: createdAt,
  descriptor: JSON.stringify(descriptor),
});

export const resourceOf = (row: ResourceRow): StoredResource => ({
  descriptor: JSON.parse(row.descriptor) as ResourceDescriptor,
  owner: row.owner,
  resultId: row.result_id,
  createdAt: row.created_at,
});
