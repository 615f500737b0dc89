import { InboxQuery } from '../../src/server/routes/inbox.ts';
import { json, ref, type Operation } from './openapi-operation.ts';

/** What a receiver of callbacks serves to the server that they are for. */
export const INBOX_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/inbox',
    operationId: 'listInbox',
    summary: 'Callbacks that nobody has acknowledged, the oldest first; for operators.',
    description:
      'Ids are in the order in which callbacks were taken, so that none comes later behind an `after`. Of the progress of a task there is the newest alone, and none beside its end.',
    query: InboxQuery,
    answer: { description: 'A page.', content: json(ref('InboxPage')) },
    problems: [400, 401, 403],
  },
  {
    method: 'get',
    path: '/v1/inbox/blobs/{sha256}',
    operationId: 'getInboxBlob',
    summary: 'Bytes that an item refers to; for operators.',
    answer: {
      description: 'The bytes.',
      content: { 'application/octet-stream': { type: 'string', format: 'binary' } },
    },
    problems: [401, 403, 404],
  },
  {
    method: 'post',
    path: '/v1/inbox/acknowledgements',
    operationId: 'acknowledgeInbox',
    summary: 'Items that are done with: they are listed no more, and removed after a time; for operators.',
    body: json(ref('InboxAcknowledgement')),
    answer: {
      description: 'How many of them were not acknowledged yet.',
      content: json({
        type: 'object',
        properties: { acknowledged: { type: 'integer', minimum: 0 } },
        required: ['acknowledged'],
      }),
    },
    problems: [400, 401, 403, 413, 415],
  },
];
