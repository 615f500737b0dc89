import { sql, type Kysely } from 'kysely';
import type { FinishedCall, KeySettlement, TaskAcceptance, TaskEnd } from '../../src/ports/call-store.ts';
import { statesBefore } from '../../src/task/task-state.ts';
import { callbackIsNew } from './callback-is-new.ts';
import { RECORD_COLUMNS, recordRow, RESOURCE_COLUMNS, resourceRow, RESULT_COLUMNS, resultRow } from './call-rows.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlStatement } from './sql-writer.ts';
import { statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';
import { callbackRow, TASK_CALLBACK_COLUMNS } from './task-rows.ts';

type Value = string | number | null;

/**
 * The statements that end a task with its result. The first changes the task where it has no result yet; each of the
 * others writes only where the task has this result. So two results never both end it, in whatever order and
 * however many statements at once a database runs them, as long as a unit is atomic.
 */
export const prepareTaskSettlement = (
  db: Kysely<Tables>,
): ((call: FinishedCall, end: TaskEnd) => readonly SqlStatement[]) => {
  const insertResult = prepareInsertIfEnded(db, 'results', RESULT_COLUMNS);
  const insertRecord = prepareInsertIfEnded(db, 'records', RECORD_COLUMNS);
  const insertResource = prepareInsertIfEnded(db, 'resources', RESOURCE_COLUMNS);
  const insertCallback = prepareInsertIfEnded(db, 'task_callbacks', TASK_CALLBACK_COLUMNS);

  return (call, end) => {
    const { owner, result, record, idempotency } = call;
    const ended = [end.taskId, result.id];
    const statements = [endStatement(db, result.id, end), insertResult(resultRow(call), ended)];
    if (record !== null) statements.push(insertRecord(recordRow(record), ended));
    for (const descriptor of result.resources) {
      const resource = { descriptor, owner, resultId: result.id, createdAt: result.execution.finishedAt };
      statements.push(insertResource(resourceRow(resource), ended));
    }
    if (end.callback !== undefined) statements.push(insertCallback(callbackRow(end.taskId, end.callback), ended));
    if (idempotency !== undefined) statements.push(keyStatement(db, call, idempotency, end.taskId));
    return statements;
  };
};

/** What an accepted call writes of its task, in one unit with its result. */
export const acceptanceStatements = (
  db: Kysely<Tables>,
  resultId: string,
  { taskId, state, progress, at }: TaskAcceptance,
): readonly SqlStatement[] => [
  statementOf(
    db
      .updateTable('tasks')
      .set({ accepted_result_id: resultId })
      .where('id', '=', taskId)
      .where('accepted_result_id', 'is', null),
  ),
  statementOf(
    db
      .updateTable('tasks')
      .set({ state, updated_at: sqlTime(at), ...(progress === null ? {} : { progress }) })
      .where('id', '=', taskId)
      .where('result_id', 'is', null)
      .where('state', 'in', [...statesBefore(state)]),
  ),
];

const endStatement = (db: Kysely<Tables>, resultId: string, { taskId, state, at, callback }: TaskEnd): SqlStatement => {
  let update = db
    .updateTable('tasks')
    .set({ state, result_id: resultId, updated_at: sqlTime(at), ...(state === 'completed' ? { progress: 1 } : {}) })
    .where('id', '=', taskId)
    .where('result_id', 'is', null);
  if (callback !== undefined) {
    update = update.where(callbackIsNew(taskId, callback.webhookId));
  }
  return statementOf(update);
};

/** The key stands for the result that the task has, which need not be this one. */
const keyStatement = (
  db: Kysely<Tables>,
  { owner, result }: FinishedCall,
  { key, keptUntil }: KeySettlement,
  taskId: string,
): SqlStatement => {
  const { invocationId } = result.execution;
  if (keptUntil === null) {
    return statementOf(
      db
        .deleteFrom('idempotency_keys')
        .where('owner', '=', owner)
        .where('idempotency_key', '=', key)
        .where('invocation_id', '=', invocationId),
    );
  }
  return statementOf(
    db
      .updateTable('idempotency_keys')
      .set(({ selectFrom }) => ({
        result_id: selectFrom('tasks').select('tasks.result_id').where('tasks.id', '=', taskId),
        expires_at: sqlTime(keptUntil),
      }))
      .where('owner', '=', owner)
      .where('idempotency_key', '=', key)
      .where('invocation_id', '=', invocationId),
  );
};

/** Columns of numbers say so: what is selected is text elsewhere, and not every database would convert it. */
const NUMBERS: Readonly<Record<string, 'real' | 'integer'>> = { duration_ms: 'real', ends_task: 'integer' };

/** An insert that writes its row only where the task has that result; compiled once. */
const prepareInsertIfEnded = <Row extends Record<string, Value>>(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly (keyof Row & string)[],
): ((row: Row, ended: readonly string[]) => SqlStatement) => {
  const selected = columns.map((column) => {
    const type = NUMBERS[column];
    return (type === undefined ? sql`${''}` : sql`cast(${''} as ${sql.raw(type)})`).as(column);
  });
  const compiled = db
    .insertInto(table)
    .columns(columns as never)
    .expression(
      db
        .selectNoFrom(selected)
        .where(({ exists, selectFrom }) =>
          exists(selectFrom('tasks').select('tasks.id').where('tasks.id', '=', '').where('tasks.result_id', '=', '')),
        ),
    )
    .compile();
  return (row, ended) => ({
    sql: compiled.sql,
    parameters: [...columns.map((column) => row[column] as Value), ...ended],
  });
};
