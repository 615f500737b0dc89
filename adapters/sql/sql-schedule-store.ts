import { sql, type Compilable, type Kysely } from 'kysely';
import { idCursor, readIdCursor } from '../../src/lib/id-cursor.ts';
import type { HeldRun, ScheduleAdvance, ScheduleQuery, ScheduleStore } from '../../src/ports/schedule-store.ts';
import { RUN_COLUMNS, runOf, runRow, scheduleOf, scheduleRow, SCHEDULE_COLUMNS } from './schedule-rows.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlStatement, SqlWriter } from './sql-writer.ts';
import { countChanges, statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';

/**
 * Schedules in any SQL database that kysely speaks. Who gets a run is decided by the rows that a statement changed. The
 * number of an owner's schedules is counted in the statement that adds one: exact where writes happen one after the other.
 */
export const createSqlScheduleStore = (db: Kysely<Tables>, writer: SqlWriter): ScheduleStore => {
  const changedBy = countChanges(writer);
  const isChanged = async (query: Compilable): Promise<boolean> => (await changedBy(query)) === 1;
  const running = ({ id, attempt }: HeldRun) =>
    db.updateTable('schedule_runs').where('id', '=', id).where('attempt', '=', attempt).where('state', '=', 'running');

  return {
    create: async (schedule, most) => {
      const row = scheduleRow(schedule);
      const ofOwner = db
        .selectFrom('schedules')
        .select(({ fn }) => fn.countAll<number>().as('number'))
        .where('owner', '=', schedule.owner)
        .where('state', '=', 'active');
      const insert = db
        .insertInto('schedules')
        .columns(SCHEDULE_COLUMNS)
        .expression(
          db
            .selectNoFrom(SCHEDULE_COLUMNS.map((column) => sql`${row[column]}`.as(column)))
            .where(sql<boolean>`${ofOwner} < ${most}`) as never,
        );
      return await isChanged(insert);
    },
    get: async (id) => {
      const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : scheduleOf(row);
    },
    list: (query) => listSchedules(db, query),
    cancel: (id, at) =>
      isChanged(
        db
          .updateTable('schedules')
          .set({ state: 'cancelled', next_at: null, updated_at: sqlTime(at) })
          .where('id', '=', id)
          .where('state', '=', 'active'),
      ),
    nextDue: async () => {
      const row = await db
        .selectFrom('schedules')
        .select('next_at')
        .where('next_at', 'is not', null)
        .orderBy('next_at')
        .limit(1)
        .executeTakeFirst();
      return row === undefined || row.next_at === null ? null : Date.parse(row.next_at);
    },
    due: async (now, most) => {
      const rows = await db
        .selectFrom('schedules')
        .selectAll()
        .where('next_at', '<=', sqlTime(now))
        .orderBy('next_at')
        .limit(most)
        .execute();
      return rows.map(scheduleOf);
    },
    advance: async (change) => {
      const statements = advanceStatements(db, change);
      const changed = await writer.write(statements);
      // One unit: where runs are put down, the schedule has been moved on.
      return statements.every((_, index) => changed[index] === 1);
    },
    listRuns: async ({ scheduleId, state, limit, cursor }) => {
      let select = db
        .selectFrom('schedule_runs')
        .selectAll()
        .where('schedule_id', '=', scheduleId)
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (state !== undefined) select = select.where('state', '=', state);
      if (cursor !== undefined) select = select.where('id', '<', readIdCursor('scheduleRun', cursor));
      const rows = await select.execute();
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        runs: page.map(runOf),
        nextCursor: rows.length > limit && last !== undefined ? idCursor(last.id) : null,
      };
    },
    extend: (run, leaseUntil) => isChanged(running(run).set({ lease_until: sqlTime(leaseUntil) })),
    finish: ({ id, attempt }, { resultId, status, errorCode, reason, finishedAt }) =>
      isChanged(
        db
          .updateTable('schedule_runs')
          .set({
            state: 'finished',
            lease_until: null,
            result_id: resultId,
            status,
            error_code: errorCode,
            reason,
            finished_at: sqlTime(finishedAt),
          })
          .where('id', '=', id)
          .where('attempt', '=', attempt)
          .where('state', 'in', ['running', 'interrupted']),
      ),
    lost: async (now, most) => {
      const rows = await db
        .selectFrom('schedule_runs')
        .selectAll()
        .where('lease_until', '<=', sqlTime(now))
        .where('state', '=', 'running')
        .orderBy('lease_until')
        .limit(most)
        .execute();
      return rows.map(runOf);
    },
    takeOver: (run, { serverId, leaseUntil, at }) =>
      isChanged(
        running(run)
          .set({
            attempt: run.attempt + 1,
            server_id: serverId,
            lease_until: sqlTime(leaseUntil),
            started_at: sqlTime(at),
          })
          .where('lease_until', '<=', sqlTime(at)),
      ),
    interrupt: (run, { reason, at }) =>
      isChanged(
        running(run)
          .set({ state: 'interrupted', lease_until: null, reason, finished_at: sqlTime(at) })
          .where('lease_until', '<=', sqlTime(at)),
      ),
    trimRuns: async (scheduleId, kept) => {
      const newestTrimmed = db
        .selectFrom('schedule_runs')
        .select('id')
        .where('schedule_id', '=', scheduleId)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(kept);
      await writer.write([
        statementOf(
          db
            .deleteFrom('schedule_runs')
            .where('schedule_id', '=', scheduleId)
            .where('state', '!=', 'running')
            .where('id', '<=', newestTrimmed),
        ),
      ]);
    },
    removeEnded: async (before, most) => {
      const ended = db
        .selectFrom('schedules')
        .select('id')
        .where('state', '!=', 'active')
        .where('updated_at', '<', sqlTime(before))
        .orderBy('updated_at')
        .limit(most);
      const [, removed = 0] = await writer.write([
        statementOf(db.deleteFrom('schedule_runs').where('schedule_id', 'in', ended)),
        statementOf(db.deleteFrom('schedules').where('id', 'in', ended)),
      ]);
      return removed;
    },
  };
};

/** A run is put down only while the schedule waits for the due time that it is of; then the schedule moves on. */
const advanceStatements = (db: Kysely<Tables>, change: ScheduleAdvance): SqlStatement[] => {
  const waiting = db
    .selectFrom('schedules')
    .select('id')
    .where('id', '=', change.scheduleId)
    .where('state', '=', 'active')
    .where('next_at', '=', sqlTime(change.from));
  const inserts = change.runs.map((run) => {
    const row = runRow(run);
    return statementOf(
      db
        .insertInto('schedule_runs')
        .columns(RUN_COLUMNS)
        .expression(
          db
            .selectNoFrom(RUN_COLUMNS.map((column) => sql`${row[column]}`.as(column)))
            .where(({ exists }) => exists(waiting)) as never,
        )
        .onConflict((conflict) => conflict.columns(['schedule_id', 'due_at']).doNothing()),
    );
  });
  const begun = change.runs.filter(({ state }) => state === 'running').length;
  const update = db
    .updateTable('schedules')
    .set(({ eb }) => ({
      next_at: change.nextAt === null ? null : sqlTime(change.nextAt),
      state: change.nextAt === null ? 'ended' : 'active',
      run_count: eb('run_count', '+', begun),
      updated_at: sqlTime(change.at),
    }))
    .where('id', '=', change.scheduleId)
    .where('state', '=', 'active')
    .where('next_at', '=', sqlTime(change.from));
  return [...inserts, statementOf(update)];
};

const listSchedules = async (db: Kysely<Tables>, query: ScheduleQuery) => {
  let select = db
    .selectFrom('schedules')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (query.owner !== null) select = select.where('owner', '=', query.owner);
  if (query.state !== undefined) select = select.where('state', '=', query.state);
  if (query.toolName !== undefined) select = select.where('tool_name', '=', query.toolName);
  if (query.cursor !== undefined) select = select.where('id', '<', readIdCursor('schedule', query.cursor));
  const rows = await select.execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    schedules: page.map(scheduleOf),
    nextCursor: rows.length > query.limit && last !== undefined ? idCursor(last.id) : null,
  };
};
