import type { ApprovalHeader, HeldCall, StoredApproval } from '../../src/ports/approval-store.ts';
import type { ApprovalDemand, ApprovalState } from '../../src/protocol/approval.ts';
import type { Actor, InvocationSource } from '../../src/protocol/invocation.ts';
import { sqlTime } from './sql-time.ts';
import type { ApprovalRow } from './tables.ts';

/** What there is of an approval beside its call. */
export const APPROVAL_HEADER_COLUMNS = [
  'id',
  'owner',
  'state',
  'required_by',
  'tool_name',
  'display_name',
  'plugin_version',
  'plugin_digest',
  'command',
  'actor',
  'source',
  'hash',
  'invocation_id',
  'request_id',
  'created_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'reason',
  'task_id',
  'held_by',
  'lease_until',
  'ran_at',
  'result_id',
] as const satisfies readonly (keyof ApprovalRow)[];

export const APPROVAL_COLUMNS = [...APPROVAL_HEADER_COLUMNS, 'held_call'] as const;

export type ApprovalHeaderRow = Pick<ApprovalRow, (typeof APPROVAL_HEADER_COLUMNS)[number]>;

export const approvalRow = (approval: StoredApproval): ApprovalRow => ({
  id: approval.id,
  owner: approval.owner,
  state: approval.state,
  required_by: JSON.stringify(approval.requiredBy),
  tool_name: approval.toolName,
  display_name: approval.displayName,
  plugin_version: approval.pluginVersion,
  plugin_digest: approval.pluginDigest,
  command: approval.command,
  actor: approval.actor === null ? null : JSON.stringify(approval.actor),
  source: approval.source,
  hash: approval.hash,
  invocation_id: approval.invocationId,
  request_id: approval.requestId,
  created_at: sqlTime(approval.createdAt),
  expires_at: sqlTime(approval.expiresAt),
  decided_at: timeOrNull(approval.decidedAt),
  decided_by: approval.decidedBy,
  reason: approval.reason,
  task_id: approval.taskId,
  held_by: approval.heldBy,
  lease_until: timeOrNull(approval.leaseUntil),
  ran_at: timeOrNull(approval.ranAt),
  result_id: approval.resultId,
  held_call: JSON.stringify(approval.call),
});

export const headerOf = (row: ApprovalHeaderRow): ApprovalHeader => ({
  id: row.id,
  owner: row.owner,
  state: row.state as ApprovalState,
  requiredBy: JSON.parse(row.required_by) as ApprovalDemand,
  toolName: row.tool_name,
  displayName: row.display_name,
  pluginVersion: row.plugin_version,
  pluginDigest: row.plugin_digest,
  command: row.command,
  actor: row.actor === null ? null : (JSON.parse(row.actor) as Actor),
  source: row.source as InvocationSource,
  hash: row.hash,
  invocationId: row.invocation_id,
  requestId: row.request_id,
  createdAt: Date.parse(row.created_at),
  expiresAt: Date.parse(row.expires_at),
  decidedAt: numberOrNull(row.decided_at),
  decidedBy: row.decided_by,
  reason: row.reason,
  taskId: row.task_id,
  heldBy: row.held_by,
  leaseUntil: numberOrNull(row.lease_until),
  ranAt: numberOrNull(row.ran_at),
  resultId: row.result_id,
});

export const approvalOf = (row: ApprovalRow): StoredApproval => ({
  ...headerOf(row),
  call: JSON.parse(row.held_call) as HeldCall,
});

const timeOrNull = (time: number | null): string | null => (time === null ? null : sqlTime(time));

const numberOrNull = (time: string | null): number | null => (time === null ? null : Date.parse(time));
