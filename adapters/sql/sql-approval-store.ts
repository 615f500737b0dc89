import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { readApprovalCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import type { ApprovalQuery, ApprovalStore } from '../../src/ports/approval-store.ts';
import { APPROVAL_COLUMNS, APPROVAL_HEADER_COLUMNS, approvalOf, approvalRow, headerOf } from './approval-rows.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlWriter } from './sql-writer.ts';
import { countChanges } from './statement-of.ts';
import type { Tables } from './tables.ts';

/**
 * Approvals in any SQL database that kysely speaks. Whether a step was made is told by the rows that its statement changed. How
 * many of an owner wait is counted in the statement that adds one: exact where writes happen one after the other.
 */
export const createSqlApprovalStore = (db: Kysely<Tables>, writer: SqlWriter): ApprovalStore => {
  const changedBy = countChanges(writer);
  const update = (id: string) => db.updateTable('approvals').where('id', '=', id);

  return {
    create: async (approval, mostPending) => {
      const row = approvalRow(approval);
      const waiting = db
        .selectFrom('approvals')
        .select(({ fn }) => fn.countAll<number>().as('number'))
        .where('owner', '=', approval.owner)
        .where('state', '=', 'pending');
      const insert = db
        .insertInto('approvals')
        .columns(APPROVAL_COLUMNS)
        .expression(
          db
            .selectNoFrom(APPROVAL_COLUMNS.map((column) => sql`${row[column]}`.as(column)))
            .where(sql<boolean>`${waiting} < ${mostPending}`) as never,
        );
      return (await changedBy(insert)) === 1;
    },
    get: async (id) => {
      const row = await db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : approvalOf(row);
    },
    look: async (id) => {
      const row = await db
        .selectFrom('approvals')
        .select(APPROVAL_HEADER_COLUMNS)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : headerOf(row);
    },
    list: (query) => listApprovals(db, query),
    decide: async (id, { state, by, reason, at, usableUntil }) =>
      (await changedBy(
        update(id)
          .set({
            state,
            decided_at: sqlTime(at),
            decided_by: by,
            reason,
            ...(state === 'approved' ? { expires_at: sqlTime(usableUntil) } : {}),
          })
          .where('state', '=', 'pending')
          .where('expires_at', '>', sqlTime(at))
          .where(({ or, eb }) => or([eb('task_id', 'is not', null), eb('lease_until', '>', sqlTime(at))])),
      )) === 1,
    end: async (id, { state, reason, at }) => {
      const query = update(id)
        .set({ state, reason })
        .where('state', 'in', ['pending', 'approved'])
        .where('ran_at', 'is', null);
      return (await changedBy(state === 'expired' ? query.where('expires_at', '<=', sqlTime(at)) : query)) === 1;
    },
    defer: async (id, taskId) =>
      (await changedBy(
        update(id)
          .set({ task_id: taskId, held_by: null, lease_until: null })
          .where('task_id', 'is', null)
          .where('ran_at', 'is', null)
          .where('result_id', 'is', null),
      )) === 1,
    hold: async (id, { by, at, leaseUntil }) =>
      (await changedBy(
        update(id)
          .set({ held_by: by, lease_until: sqlTime(leaseUntil) })
          .where('result_id', 'is', null)
          .where((row) => row.or([row('held_by', '=', by), isFree(row, at)])),
      )) === 1,
    consume: async (id, { by, hash, at, leaseUntil }) =>
      (await changedBy(
        update(id)
          .set({ ran_at: sqlTime(at), lease_until: sqlTime(leaseUntil) })
          .where('state', '=', 'approved')
          .where('ran_at', 'is', null)
          .where('expires_at', '>', sqlTime(at))
          .where('hash', '=', hash)
          .where('held_by', '=', by),
      )) === 1,
    settle: async (id, resultId) =>
      (await changedBy(update(id).set({ result_id: resultId }).where('result_id', 'is', null))) === 1,
    unattended: async (now, most) => {
      const rows = await db
        .selectFrom('approvals')
        .select(APPROVAL_HEADER_COLUMNS)
        .where('result_id', 'is', null)
        .where((row) => isFree(row, now))
        .where(({ or, and, eb }) =>
          or([
            and([eb('task_id', 'is', null), eb('state', 'in', ['pending', 'approved']), eb('ran_at', 'is', null)]),
            and([
              eb('task_id', 'is not', null),
              or([eb('state', '<>', 'pending'), eb('expires_at', '<=', sqlTime(now))]),
            ]),
          ]),
        )
        .orderBy('created_at')
        .limit(most)
        .execute();
      return rows.map(headerOf);
    },
    removeEnded: (before, most) =>
      changedBy(
        db.deleteFrom('approvals').where(
          'id',
          'in',
          db
            .selectFrom('approvals')
            .select('id')
            .where('created_at', '<', sqlTime(before))
            .where('state', '<>', 'pending')
            .where(({ or, eb }) => or([eb('task_id', 'is', null), eb('result_id', 'is not', null)]))
            .orderBy('created_at')
            .limit(most),
        ),
      ),
  };
};

const isFree = ({ or, eb }: ExpressionBuilder<Tables, 'approvals'>, at: number) =>
  or([eb('lease_until', 'is', null), eb('lease_until', '<=', sqlTime(at))]);

/** Approval ids sort by time, as those of records do. */
const listApprovals = async (db: Kysely<Tables>, { owner, states, limit, cursor }: ApprovalQuery) => {
  let select = db
    .selectFrom('approvals')
    .select(APPROVAL_HEADER_COLUMNS)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (owner !== null) select = select.where('owner', '=', owner);
  if (states !== undefined) select = select.where('state', 'in', [...states]);
  if (cursor !== undefined) select = select.where('id', '<', readApprovalCursor(cursor));
  const rows = await select.execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    approvals: page.map(headerOf),
    nextCursor: rows.length > limit && last !== undefined ? recordCursor(last.id) : null,
  };
};
