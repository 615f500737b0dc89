import { sql, type ExpressionBuilder, type Kysely, type SelectQueryBuilder } from 'kysely';
import { chunksOf } from '../../src/lib/chunks-of.ts';
import type { InboxReceipt } from '../../src/ports/inbox-store.ts';
import type { InboxItem } from '../../src/protocol/inbox.ts';
import { inboxCallbackRow, inboxItemRow } from './inbox-rows.ts';
import type { SqlStatement } from './sql-writer.ts';
import { statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Rows of one statement: D1 binds a hundred values. */
const BLOBS_AT_ONCE = 40;

/**
 * The statements that take a callback. The first notes it, where its id is new, its task has no end, and no later item was
 * taken before it; each of the others writes only where that note is this item's.
 */
export const takeStatements = (db: Kysely<Tables>, item: InboxItem, receipt: InboxReceipt): readonly SqlStatement[] => {
  const { id, taskId } = item;
  const callback = inboxCallbackRow(item, receipt);
  const note = db
    .insertInto('inbox_callbacks')
    .columns(Object.keys(callback) as never)
    .expression(
      db
        .selectNoFrom(valuesOf(callback))
        .where(noneOf(db.selectFrom('inbox_callbacks').where('task_id', '=', taskId).where('ends_task', '=', 1)))
        .where(noneOf(db.selectFrom('inbox_callbacks').where('item_id', '>=', id))),
    )
    .onConflict((conflict) => conflict.doNothing());
  // Newer progress takes the place of older, and an end that of all progress.
  const older = db
    .deleteFrom('inbox_items')
    .where('task_id', '=', taskId)
    .where('kind', '=', 'progress')
    .where(({ exists }) => exists(noteOf(db, item).select('item_id')));
  const row = inboxItemRow(item);
  const kept = db
    .insertInto('inbox_items')
    .columns(Object.keys(row) as never)
    .expression(noteOf(db, item).select(valuesOf(row)))
    .onConflict((conflict) => conflict.doNothing());
  return [note, older, kept, ...blobInserts(db, item)].map(statementOf);
};

/** The note of the callback that the item came of. */
const noteOf = (db: Kysely<Tables>, { id, taskId, webhookId }: InboxItem) =>
  db
    .selectFrom('inbox_callbacks')
    .where('task_id', '=', taskId)
    .where('webhook_id', '=', webhookId)
    .where('item_id', '=', id);

const blobInserts = (db: Kysely<Tables>, item: InboxItem) => {
  const blobs = [...item.resources, ...(item.contentBlob === null ? [] : [item.contentBlob])];
  const hashes = [...new Set(blobs.map(({ sha256 }) => sha256))];
  return chunksOf(hashes, BLOBS_AT_ONCE).map((chunk) => {
    const values = sql.join(chunk.map((sha256) => sql`(${sha256})`));
    return db
      .insertInto('inbox_blobs')
      .columns(['item_id', 'sha256'])
      .expression(
        noteOf(db, item)
          // Databases name the columns of bare values alike.
          .innerJoin(sql<{ column1: string }>`(values ${values})`.as('given'), (join) => join.onTrue())
          .select(['item_id', 'given.column1 as sha256']),
      )
      .onConflict((conflict) => conflict.doNothing());
  });
};

const valuesOf = (row: Row) => Object.entries(row).map(([column, value]) => sql`${value}`.as(column));

const noneOf =
  (found: SelectQueryBuilder<Tables, 'inbox_callbacks', object>) =>
  ({ not, exists }: ExpressionBuilder<Tables, never>) =>
    not(exists(found.select('item_id')));
