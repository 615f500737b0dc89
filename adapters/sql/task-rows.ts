import type { StoredTask, TakenCallback } from '../../src/ports/task-store.ts';
import type { Actor, InvocationSource } from '../../src/protocol/invocation.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { InvocationCommand } from '../../src/protocol/manifest.ts';
import type { TaskState } from '../../src/protocol/task.ts';
import { sqlTime } from './sql-time.ts';
import type { TaskCallbackRow, TaskRow } from './tables.ts';

export const TASK_CALLBACK_COLUMNS = ['task_id', 'webhook_id', 'digest', 'ends_task', 'answer', 'taken_at'] as const;

export const taskRow = (task: StoredTask): TaskRow => ({
  id: task.id,
  owner: task.owner,
  kind: task.kind,
  tool_name: task.toolName,
  display_name: task.displayName,
  plugin_version: task.pluginVersion,
  command: task.command === null ? null : JSON.stringify(task.command),
  state: task.state,
  progress: task.progress,
  stage: task.stage,
  message: task.message,
  invocation_id: task.invocationId,
  request_id: task.requestId,
  source: task.source,
  actor: task.actor === null ? null : JSON.stringify(task.actor),
  request_ip: task.requestIp,
  node_id: task.nodeId,
  extensions: JSON.stringify(task.extensions),
  accepted_result_id: task.acceptedResultId,
  result_id: task.resultId,
  approval_id: task.approvalId,
  server_id: task.serverId,
  created_at: sqlTime(task.createdAt),
  updated_at: sqlTime(task.updatedAt),
  expires_at: sqlTime(task.expiresAt),
});

export const taskOf = (row: TaskRow): StoredTask => ({
  id: row.id,
  owner: row.owner,
  kind: row.kind as StoredTask['kind'],
  toolName: row.tool_name,
  displayName: row.display_name,
  pluginVersion: row.plugin_version,
  command: row.command === null ? null : (JSON.parse(row.command) as InvocationCommand),
  state: row.state as TaskState,
  progress: row.progress,
  stage: row.stage,
  message: row.message,
  invocationId: row.invocation_id,
  requestId: row.request_id,
  source: row.source as InvocationSource,
  actor: row.actor === null ? null : (JSON.parse(row.actor) as Actor),
  requestIp: row.request_ip,
  nodeId: row.node_id,
  extensions: JSON.parse(row.extensions) as JsonObject,
  acceptedResultId: row.accepted_result_id,
  resultId: row.result_id,
  approvalId: row.approval_id,
  serverId: row.server_id,
  createdAt: Date.parse(row.created_at),
  updatedAt: Date.parse(row.updated_at),
  expiresAt: Date.parse(row.expires_at),
});

export const callbackRow = (taskId: string, callback: TakenCallback): TaskCallbackRow => ({
  task_id: taskId,
  webhook_id: callback.webhookId,
  digest: callback.digest,
  ends_task: callback.endsTask ? 1 : 0,
  answer: JSON.stringify(callback.answer),
  taken_at: sqlTime(callback.at),
});

export const callbackOf = (row: TaskCallbackRow): TakenCallback => ({
  webhookId: row.webhook_id,
  digest: row.digest,
  endsTask: Number(row.ends_task) === 1,
  answer: JSON.parse(row.answer) as JsonObject,
  at: Date.parse(row.taken_at),
});
