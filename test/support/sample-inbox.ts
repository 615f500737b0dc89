import type { InboxReceipt } from '../../src/ports/inbox-store.ts';
import type { InboxItem } from '../../src/protocol/inbox.ts';
import { sampleIds } from './sample-calls.ts';
import { TASK_TIME } from './sample-tasks.ts';

let made = 0;

/** A terminal callback of a task of its own, as a receiver has it. */
export const sampleInboxItem = (changes: Partial<InboxItem> = {}): InboxItem => {
  made += 1;
  return {
    id: sampleIds.next('inboxItem'),
    receivedAt: new Date(TASK_TIME).toISOString(),
    taskId: sampleIds.next('task'),
    toolName: 'Sample',
    webhookId: `msg_${made}`,
    digest: String(made).padStart(64, '0'),
    kind: 'result',
    state: 'completed',
    content: { status: 'success', data: { text: '结果' } },
    contentBlob: null,
    resources: [],
    ...changes,
  };
};

export const sampleInboxReceipt = ({ taskId, state }: InboxItem, keptUntil = TASK_TIME + 60_000): InboxReceipt => ({
  answer: { taskId, state, resultId: null },
  keptUntil,
});
