import type { Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { readTaskCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import type { TaskAdvance, TaskQuery, TaskStore } from '../../src/ports/task-store.ts';
import { TERMINAL_TASK_STATES, type TaskState } from '../../src/protocol/task.ts';
import { statesBefore } from '../../src/task/task-state.ts';
import { callbackIsNew } from './callback-is-new.ts';
import { readListed } from './listed-at-once.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlWriter } from './sql-writer.ts';
import { statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';
import { callbackOf, callbackRow, TASK_CALLBACK_COLUMNS, taskOf, taskRow } from './task-rows.ts';

/** Tasks in any SQL database that kysely speaks. Whether a step was made is told by the rows that its statement changed. */
export const createSqlTaskStore = (db: Kysely<Tables>, writer: SqlWriter): TaskStore => ({
  create: async (task) => {
    await writer.write([statementOf(db.insertInto('tasks').values(taskRow(task)))]);
  },
  get: async (id) => {
    const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : taskOf(row);
  },
  list: (query) => listTasks(db, query),
  advance: async (id, change, callback) => {
    let update = advanceOf(db, id, change);
    if (callback === undefined) return (await writer.write([statementOf(update)]))[0] === 1;
    update = update.where(callbackIsNew(id, callback.webhookId));
    const row = callbackRow(id, callback);
    const take = db
      .insertInto('task_callbacks')
      .columns([...TASK_CALLBACK_COLUMNS])
      .expression(({ selectFrom, val, cast }) =>
        selectFrom('tasks')
          .select([
            'tasks.id as task_id',
            val(row.webhook_id).as('webhook_id'),
            val(row.digest).as('digest'),
            cast<0 | 1>(val(row.ends_task), 'integer').as('ends_task'),
            val(row.answer).as('answer'),
            val(row.taken_at).as('taken_at'),
          ])
          .where('tasks.id', '=', id)
          .where('tasks.result_id', 'is', null),
      )
      .onConflict((conflict) => conflict.columns(['task_id', 'webhook_id']).doNothing());
    return (await writer.write([statementOf(update), statementOf(take)]))[0] === 1;
  },
  takenCallbacks: async (id, webhookId) => {
    const rows = await db
      .selectFrom('task_callbacks')
      .selectAll()
      .where('task_id', '=', id)
      .where(({ or, eb }) => or([eb('webhook_id', '=', webhookId), eb('ends_task', '=', 1)]))
      .execute();
    const taken = rows.map(callbackOf);
    return {
      sameId: taken.find((one) => one.webhookId === webhookId) ?? null,
      last: taken.find(({ endsTask }) => endsTask) ?? null,
    };
  },
  overdue: async (now, most) => {
    const rows = await db
      .selectFrom('tasks')
      .selectAll()
      .where('result_id', 'is', null)
      .where('expires_at', '<=', sqlTime(now))
      .orderBy('expires_at')
      .limit(most)
      .execute();
    return rows.map(taskOf);
  },
  ended: async (ids) => {
    const rows = await readListed(ids, (listed) =>
      db.selectFrom('tasks').select('id').where('id', 'in', listed).where('result_id', 'is', null).execute(),
    );
    const open = new Set(rows.map(({ id }) => id));
    return new Set(ids.filter((id) => !open.has(id)));
  },
  countOpen: async () => {
    const rows = await db
      .selectFrom('tasks')
      .select(({ fn }) => ['state', fn.countAll<number>().as('number')])
      .where('result_id', 'is', null)
      .groupBy('state')
      .execute();
    return new Map(rows.map(({ state, number }) => [state as TaskState, Number(number)]));
  },
  forgetCallbacks: async (before, most) => {
    const lastOfBatch = db
      .selectFrom('task_callbacks')
      .select('taken_at')
      .where('ends_task', '=', 0)
      .where('taken_at', '<', sqlTime(before))
      .orderBy('taken_at')
      .limit(most);
    const gone = db.deleteFrom('task_callbacks').where('ends_task', '=', 0).where('taken_at', 'in', lastOfBatch);
    return (await writer.write([statementOf(gone)]))[0] ?? 0;
  },
  removeEnded: async (before, most) => {
    const gone = db
      .selectFrom('tasks')
      .select('id')
      .where('state', 'in', [...TERMINAL_TASK_STATES])
      .where('updated_at', '<', sqlTime(before))
      .orderBy('updated_at')
      .orderBy('id')
      .limit(most);
    const changed = await writer.write([
      statementOf(db.deleteFrom('task_callbacks').where('task_id', 'in', gone)),
      statementOf(db.deleteFrom('tasks').where('id', 'in', gone)),
    ]);
    return changed[1] ?? 0;
  },
});

const advanceOf = (
  db: Kysely<Tables>,
  id: string,
  { to, progress, stage, message, at }: TaskAdvance,
): UpdateQueryBuilder<Tables, 'tasks', 'tasks', UpdateResult> => {
  const update = db
    .updateTable('tasks')
    .set({
      updated_at: sqlTime(at),
      ...(to === undefined ? {} : { state: to }),
      ...(progress === undefined ? {} : { progress }),
      ...(stage === undefined ? {} : { stage }),
      ...(message === undefined ? {} : { message }),
    })
    .where('id', '=', id)
    .where('result_id', 'is', null);
  return to === undefined ? update : update.where('state', 'in', [...statesBefore(to)]);
};

/** Task ids sort by time, as those of records do. */
const listTasks = async (db: Kysely<Tables>, query: TaskQuery) => {
  let select = db
    .selectFrom('tasks')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (query.owner !== null) select = select.where('owner', '=', query.owner);
  if (query.toolName !== undefined) select = select.where('tool_name', '=', query.toolName);
  if (query.states !== undefined) select = select.where('state', 'in', [...query.states]);
  if (query.cursor !== undefined) select = select.where('id', '<', readTaskCursor(query.cursor));
  const rows = await select.execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    tasks: page.map(taskOf),
    nextCursor: rows.length > query.limit && last !== undefined ? recordCursor(last.id) : null,
  };
};
