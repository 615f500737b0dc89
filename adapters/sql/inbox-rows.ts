import type { InboxReceipt, TakenInbox } from '../../src/ports/inbox-store.ts';
import type { InboxItem } from '../../src/protocol/inbox.ts';
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';
import { sqlTime } from './sql-time.ts';
import type { InboxCallbackRow, InboxItemRow } from './tables.ts';

/** `content` is null where the content is in a blob; the JSON `null` is text. */
export const inboxItemRow = (item: InboxItem): InboxItemRow => ({
  id: item.id,
  received_at: item.receivedAt,
  task_id: item.taskId,
  tool_name: item.toolName,
  webhook_id: item.webhookId,
  digest: item.digest,
  kind: item.kind,
  state: item.state,
  content: item.contentBlob === null ? JSON.stringify(item.content) : null,
  content_sha256: item.contentBlob?.sha256 ?? null,
  content_bytes: item.contentBlob?.sizeBytes ?? null,
  resources: JSON.stringify(item.resources),
  acknowledged_at: null,
});

export const inboxItemOf = (row: InboxItemRow): InboxItem => ({
  id: row.id,
  receivedAt: row.received_at,
  taskId: row.task_id,
  toolName: row.tool_name,
  webhookId: row.webhook_id,
  digest: row.digest,
  kind: row.kind as InboxItem['kind'],
  state: row.state as InboxItem['state'],
  content: row.content === null ? null : (JSON.parse(row.content) as JsonValue),
  contentBlob:
    row.content_sha256 === null ? null : { sha256: row.content_sha256, sizeBytes: Number(row.content_bytes) },
  resources: JSON.parse(row.resources) as InboxItem['resources'],
});

export const inboxCallbackRow = (item: InboxItem, { answer, keptUntil }: InboxReceipt): InboxCallbackRow => ({
  task_id: item.taskId,
  webhook_id: item.webhookId,
  item_id: item.id,
  digest: item.digest,
  ends_task: item.kind === 'result' ? 1 : 0,
  answer: JSON.stringify(answer),
  kept_until: sqlTime(keptUntil),
});

export const takenInboxOf = ({ digest, answer }: InboxCallbackRow): TakenInbox => ({
  digest,
  answer: JSON.parse(answer) as JsonObject,
});
