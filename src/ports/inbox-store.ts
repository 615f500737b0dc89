import type { InboxItem } from '../protocol/inbox.ts';
import type { TakenCallback } from './task-store.ts';

/** What is remembered of the callback that an item came of. */
export type InboxReceipt = Pick<TakenCallback, 'answer'> & {
  /** Milliseconds since the epoch until when another callback of the task may come. */
  readonly keptUntil: number;
};

/** A callback that was taken, by what it said and what was answered. */
export type TakenInbox = Pick<TakenCallback, 'digest' | 'answer'>;

/**
 * Callbacks on their way to the server that they are for, agreed between all that share the store: each is taken by
 * statements that compare and set, at most once for each id of a task, and one that ends a task once for it. Of progress,
 * only the newest of a task is kept. Ids are taken in their order: what is taken later sorts behind. Times are
 * milliseconds since the epoch.
 */
export type InboxStore = {
  /** The callback of this id that was taken, and the one that ended the task, for as long as they are remembered. */
  taken(
    taskId: string,
    webhookId: string,
  ): Promise<{ readonly sameId: TakenInbox | null; readonly last: TakenInbox | null }>;
  /**
   * False when a callback of this id was taken, or one that ended the task, or an item whose id does not sort before this
   * one's; then nothing was changed.
   */
  take(item: InboxItem, receipt: InboxReceipt): Promise<boolean>;
  /** The id of the item that was taken last. */
  newestId(): Promise<string | null>;
  /** Items that nobody has acknowledged, the oldest first, behind the id. */
  list(query: { readonly after: string | null; readonly limit: number }): Promise<readonly InboxItem[]>;
  /** Tells how many of the items there were to acknowledge. */
  acknowledge(ids: readonly string[], at: number): Promise<number>;
  /** Whether an item that is still there refers to the blob. */
  refersTo(sha256: string): Promise<boolean>;
  /** Which of the hashes an item that is still there refers to; the caller gives no more than 500. */
  referencedBlobs(hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Removes at most about `most` items that were acknowledged before that time, and forgets as many callbacks whose time is
   * over `now`; tells how many of each went. An item that nobody acknowledged stays.
   */
  forget(
    times: { readonly acknowledgedBefore: number; readonly now: number },
    most: number,
  ): Promise<{ readonly items: number; readonly callbacks: number }>;
};
