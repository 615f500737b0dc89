import type { Kysely } from 'kysely';
import { chunksOf } from '../../src/lib/chunks-of.ts';
import type { InboxStore } from '../../src/ports/inbox-store.ts';
import { inboxItemOf, takenInboxOf } from './inbox-rows.ts';
import { takeStatements } from './inbox-statements.ts';
import { LISTED_AT_ONCE, readListed } from './listed-at-once.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlWriter } from './sql-writer.ts';
import { statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';

/** An inbox in any SQL database that kysely speaks. Whether a callback was taken is told by the rows that its note changed. */
export const createSqlInboxStore = (db: Kysely<Tables>, writer: SqlWriter): InboxStore => ({
  taken: async (taskId, webhookId) => {
    const rows = await db
      .selectFrom('inbox_callbacks')
      .selectAll()
      .where('task_id', '=', taskId)
      .where(({ or, eb }) => or([eb('webhook_id', '=', webhookId), eb('ends_task', '=', 1)]))
      .execute();
    const sameId = rows.find((row) => row.webhook_id === webhookId);
    const last = rows.find((row) => Number(row.ends_task) === 1);
    return {
      sameId: sameId === undefined ? null : takenInboxOf(sameId),
      last: last === undefined ? null : takenInboxOf(last),
    };
  },
  take: async (item, receipt) => (await writer.write(takeStatements(db, item, receipt)))[0] === 1,
  newestId: async () => {
    const newest = await db
      .selectFrom('inbox_callbacks')
      .select('item_id')
      .orderBy('item_id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return newest?.item_id ?? null;
  },
  list: async ({ after, limit }) => {
    const rows = await db
      .selectFrom('inbox_items')
      .selectAll()
      .where('acknowledged_at', 'is', null)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(inboxItemOf);
  },
  acknowledge: async (ids, at) => {
    const changed = await writer.write(
      chunksOf(ids, LISTED_AT_ONCE).map((chunk) =>
        statementOf(
          db
            .updateTable('inbox_items')
            .set({ acknowledged_at: sqlTime(at) })
            .where('id', 'in', chunk)
            .where('acknowledged_at', 'is', null),
        ),
      ),
    );
    return changed.reduce((total, number) => total + number, 0);
  },
  refersTo: async (sha256) => {
    const found = await db
      .selectFrom('inbox_blobs')
      .select('item_id')
      .where('sha256', '=', sha256)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  },
  referencedBlobs: async (hashes) => {
    const rows = await readListed(hashes, (listed) =>
      db.selectFrom('inbox_blobs').select('sha256').distinct().where('sha256', 'in', listed).execute(),
    );
    return new Set(rows.map(({ sha256 }) => sha256));
  },
  forget: async ({ acknowledgedBefore, now }, most) => {
    const done = db
      .selectFrom('inbox_items')
      .select('id')
      .where('acknowledged_at', '<', sqlTime(acknowledgedBefore))
      .orderBy('acknowledged_at')
      .orderBy('id')
      .limit(most);
    const over = db
      .selectFrom('inbox_callbacks')
      .select('item_id')
      .where('kept_until', '<', sqlTime(now))
      .orderBy('kept_until')
      .orderBy('item_id')
      .limit(most);
    const [, items = 0, callbacks = 0] = await writer.write([
      statementOf(db.deleteFrom('inbox_blobs').where('item_id', 'in', done)),
      statementOf(db.deleteFrom('inbox_items').where('id', 'in', done)),
      statementOf(db.deleteFrom('inbox_callbacks').where('item_id', 'in', over)),
    ]);
    return { items, callbacks };
  },
});
