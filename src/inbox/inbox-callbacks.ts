import { createDeadline } from '../lib/deadline.ts';
import { idAfter } from '../lib/id-after.ts';
import type { Limits } from '../lib/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { InboxStore } from '../ports/inbox-store.ts';
import type { InboxItem } from '../protocol/inbox.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { CallbackReceipt } from '../protocol/task-listing.ts';
import type { TaskState } from '../protocol/task.ts';
import type { CallbackReceiver } from '../runtime/tasks/callback-receiver.ts';
import { verdictOfEarlier } from '../runtime/tasks/earlier-callback.ts';
import { callbackDigest, idOfDigest } from '../runtime/tasks/callback-digest.ts';
import type { CallbackContent, CallbackVerdict } from '../runtime/tasks/callback-verdict.ts';
import { invalidVerdict } from '../runtime/tasks/invalid-verdict.ts';
import { endOfTask, type TerminalTaskState } from '../task/task-state.ts';
import { storePayload, type StorePayloadDependencies } from './store-payload.ts';

export type InboxCallbackDependencies = StorePayloadDependencies & {
  readonly inbox: InboxStore;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Operators hear here of what the server will take later. */
  readonly events: EventSink;
  readonly limits: Pick<Limits, 'reportedIssues' | 'callTimeoutMs' | 'callbackSkewMs' | 'inboxContentBytes'>;
};

type Addressee = { readonly taskId: string; readonly toolName: string; readonly expiresAt: number };

/** What an item will hold, once the content is known to be right. */
type Prepared = Pick<InboxItem, 'content' | 'contentBlob' | 'resources'> & { readonly state: TaskState };

/** How often an item draws a new id because others were taken in between. */
const MOST_DRAWS = 20;

/** Callbacks of tasks that another server has: they are checked as far as that goes without the task, and kept for it. */
export const createInboxCallbacks = (dependencies: InboxCallbackDependencies): CallbackReceiver => {
  const { inbox, ids, clock, events, limits, resources } = dependencies;

  const decided = async (
    taskId: string,
    webhookId: string,
    digest: string,
    kind: CallbackContent['kind'],
  ): Promise<CallbackVerdict | null> => {
    const found = await inbox.taken(taskId, webhookId);
    const earlier = verdictOfEarlier(found, digest, kind);
    if (earlier !== null || found.last === null) return earlier;
    return { verdict: 'ended', state: (found.last.answer as CallbackReceipt).state };
  };

  /** D1 holds rows of bounded size, and is not the place for what is as large as a file. */
  const placed = async (content: JsonValue): Promise<Pick<InboxItem, 'content' | 'contentBlob'>> => {
    const bytes = new TextEncoder().encode(JSON.stringify(content));
    if (bytes.length <= limits.inboxContentBytes) return { content, contentBlob: null };
    return { content: null, contentBlob: await resources.store.put(bytes, { maxBytes: bytes.length }) };
  };

  const prepare = async (content: CallbackContent, taskId: string): Promise<Prepared | CallbackVerdict> => {
    if (content.kind === 'progress')
      return { state: 'running', content: content.progress, contentBlob: null, resources: [] };
    const deadline = createDeadline({ now: clock.now(), timeoutMs: limits.callTimeoutMs });
    try {
      const stored = await storePayload(content.result, taskId, deadline.signal, dependencies);
      if (!stored.ok) return invalidVerdict(stored.failure);
      const state = endOfTask(stored.status) as TerminalTaskState;
      return { state, ...(await placed(stored.content)), resources: [...stored.resources] };
    } finally {
      deadline.dispose();
    }
  };

  const tell = ({ taskId, toolName }: Addressee, content: CallbackContent, state: TaskState): void => {
    const address = { audience: { to: 'operators' } } as const;
    if (content.kind === 'progress') events.emit({ type: 'vcp_info', taskId, toolName, ...content.progress }, address);
    else events.emit({ type: 'task', taskId, toolName, data: { state, progress: null, resultId: null } }, address);
  };

  const receive = async (
    addressee: Addressee,
    content: CallbackContent,
    givenId: string | null,
  ): Promise<CallbackVerdict> => {
    const { taskId, toolName, expiresAt } = addressee;
    const { kind } = content;
    const digest = await callbackDigest(content);
    const webhookId = givenId ?? idOfDigest(digest);
    const earlier = await decided(taskId, webhookId, digest, kind);
    if (earlier !== null) return earlier;
    const prepared = await prepare(content, taskId);
    if ('verdict' in prepared) return prepared;
    const receipt: CallbackReceipt = { taskId, state: prepared.state, resultId: null };
    const now = clock.now();
    // Progress is no use to anybody who would send it again that late; an end is asked for until the token is over.
    const keptUntil = kind === 'result' ? expiresAt + limits.callbackSkewMs : now + 2 * limits.callbackSkewMs;
    const receivedAt = new Date(now).toISOString();
    let id = ids.next('inboxItem');
    for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
      const item: InboxItem = { id, receivedAt, taskId, toolName, webhookId, digest, kind, ...prepared };
      if (await inbox.take(item, { answer: receipt, keptUntil })) {
        tell(addressee, content, prepared.state);
        return { verdict: 'taken', receipt };
      }
      // Another was first; it may have been this one.
      const rival = await decided(taskId, webhookId, digest, kind);
      if (rival !== null) return rival;
      // Or another task's, from an isolate whose clock is ahead.
      const newest = await inbox.newestId();
      const next = ids.next('inboxItem');
      id = newest !== null && newest >= next ? idAfter('inboxItem', newest) : next;
    }
    throw new Error(`the inbox took ${MOST_DRAWS} other callbacks before this one`);
  };

  return {
    find: async (taskId, { claims: { toolName }, expiresAt }) => ({
      taskId,
      toolName,
      ids: {},
      receive: (content, webhookId) => receive({ taskId, toolName, expiresAt }, content, webhookId),
    }),
  };
};
