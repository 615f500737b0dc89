import type { Limits } from '../lib/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { InboxStore } from '../ports/inbox-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import { collectBlobs } from '../runtime/collect-blobs.ts';

export type InboxCollection = {
  readonly inbox: InboxStore;
  readonly blobs: ResourceStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'inboxMs' | 'blobGraceMs'>;
};

/** Rows that go at once; callbacks are taken in between. */
const BATCH_ROWS = 500;

/**
 * Removes what the server has acknowledged and has had its time, then the blobs that no item refers to. What was not
 * acknowledged stays, however old it is.
 */
export const collectInbox = async ({ inbox, blobs, clock, logger, limits }: InboxCollection): Promise<void> => {
  const now = clock.now();
  let items = 0;
  for (let isMore = true; isMore;) {
    const gone = await inbox.forget({ acknowledgedBefore: now - limits.inboxMs, now }, BATCH_ROWS);
    items += gone.items;
    isMore = Math.max(gone.items, gone.callbacks) >= BATCH_ROWS;
  }
  // A blob is put before the item that refers to it, and no callback takes as long as a blob counts as young.
  const removed = await collectBlobs(
    { blobs, referenced: inbox.referencedBlobs },
    { touchedBefore: now - limits.blobGraceMs },
  );
  if (items > 0 || removed.blobs > 0) logger.info('inbox.collected', { items, ...removed });
};
