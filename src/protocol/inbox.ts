import { z } from 'zod';
import { InboxItemId, ResourceId, TaskId } from './ids.ts';
import { JsonValue } from './json.ts';
import { ToolName } from './names.ts';
import { FileName, MediaType, ResourceKind } from './resource.ts';
import { TaskState } from './task.ts';
import { Timestamp } from './timestamp.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 of 64 hexadecimal digits' });

/** Bytes that a receiver keeps: `GET /v1/inbox/blobs/:sha256`. */
export const InboxBlob = z.strictObject({ sha256: Sha256, sizeBytes: z.int().nonnegative() });
export type InboxBlob = z.infer<typeof InboxBlob>;

/** A resource of a callback, stored by the receiver; drafts of the payload name it as `resourceId`. */
export const InboxResource = z.strictObject({
  id: ResourceId,
  ...InboxBlob.shape,
  kind: ResourceKind,
  mimeType: MediaType,
  fileName: FileName,
});
export type InboxResource = z.infer<typeof InboxResource>;

/** A callback that a receiver has taken for a server. */
export const InboxItem = z
  .strictObject({
    id: InboxItemId,
    receivedAt: Timestamp,
    taskId: TaskId,
    toolName: ToolName,
    webhookId: z.string().min(1).max(256),
    digest: Sha256.meta({ description: 'SHA-256 of the canonical JSON of what the sender wrote (RFC 8785).' }),
    kind: z.enum(['result', 'progress']),
    state: TaskState.meta({ description: 'What the sender was told.' }),
    content: JsonValue.meta({
      description:
        'The payload, with stored resources in the place of their bytes, or the progress; null when it is large.',
    }),
    contentBlob: InboxBlob.nullable().meta({ description: 'The JSON text of a content that is large.' }),
    resources: z.array(InboxResource),
  })
  .meta({ id: 'inbox-item', title: 'InboxItem', description: 'A callback that a receiver has taken.' });
export type InboxItem = z.infer<typeof InboxItem>;

/** `GET /v1/inbox`. */
export const InboxPage = z
  .strictObject({
    items: z.array(InboxItem),
    nextAfter: InboxItemId.nullable().meta({ description: '`after` of the next page; null when there is none yet.' }),
  })
  .meta({ id: 'inbox-page', title: 'InboxPage', description: 'Callbacks that nobody has acknowledged, oldest first.' });
export type InboxPage = z.infer<typeof InboxPage>;

/** `POST /v1/inbox/acknowledgements`. */
export const InboxAcknowledgement = z
  .strictObject({ ids: z.array(InboxItemId).min(1).max(1_000) })
  .meta({ id: 'inbox-acknowledgement', title: 'InboxAcknowledgement', description: 'Items that are done with.' });
export type InboxAcknowledgement = z.infer<typeof InboxAcknowledgement>;
