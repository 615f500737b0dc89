import type { Insertable, Kysely } from 'kysely';
import { readRecordCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import type { CallStore, RecordQuery } from '../../src/ports/call-store.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import {
  RECORD_COLUMNS,
  recordOf,
  recordRow,
  RESOURCE_COLUMNS,
  resourceOf,
  resourceRow,
  RESULT_COLUMNS,
  resultRow,
} from './call-rows.ts';
import { createSqlRetention } from './sql-retention.ts';
import { prepareKeySettlement } from './sql-key-settlement.ts';
import { acceptanceStatements, prepareTaskSettlement } from './sql-task-settlement.ts';
import type { SqlStatement, SqlWriter } from './sql-writer.ts';
import type { RecordRow, ResourceRow, ResultRow, Tables } from './tables.ts';

/** Results, records and descriptors in any SQL database that kysely speaks. */
export const createSqlCallStore = (db: Kysely<Tables>, writer: SqlWriter): CallStore => {
  const insertResult = prepareInsert<ResultRow>(db, 'results', RESULT_COLUMNS);
  const insertRecord = prepareInsert<RecordRow>(db, 'records', RECORD_COLUMNS);
  const insertResource = prepareInsert<ResourceRow>(db, 'resources', RESOURCE_COLUMNS);
  const settleKey = prepareKeySettlement(db);
  const settlementOf = prepareTaskSettlement(db);

  return {
    saveCall: async (call) => {
      const statements = [insertResult(resultRow(call))];
      if (call.record !== null) statements.push(insertRecord(recordRow(call.record)));
      for (const descriptor of call.result.resources) {
        const { owner, result } = call;
        const createdAt = result.execution.finishedAt;
        statements.push(insertResource(resourceRow({ descriptor, owner, resultId: result.id, createdAt })));
      }
      if (call.idempotency !== undefined) statements.push(settleKey(call, call.idempotency));
      if (call.acceptance !== undefined) statements.push(...acceptanceStatements(db, call.result.id, call.acceptance));
      await writer.write(statements);
    },
    settleTask: async (call, end) => {
      const [ended] = await writer.write(settlementOf(call, end));
      return ended === 1;
    },
    getResult: async (id) => {
      const row = await db.selectFrom('results').select(['owner', 'body']).where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : { owner: row.owner, result: JSON.parse(row.body) as CanonicalToolResult };
    },
    getRecord: async (id) => {
      const row = await db.selectFrom('records').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    listRecords: (query) => listRecords(db, query),
    saveResource: async (resource) => {
      await writer.write([insertResource(resourceRow(resource))]);
    },
    getResource: async (id) => {
      const row = await db.selectFrom('resources').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : resourceOf(row);
    },
    ...createSqlRetention(db, writer),
  };
};

/** Compiles an insert once: building the same statement anew costs several times what running it does. */
const prepareInsert = <Row extends Record<string, string | number | null>>(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly (keyof Row & string)[],
): ((row: Row) => SqlStatement) => {
  const sample = Object.fromEntries(columns.map((column) => [column, '']));
  const { sql } = db
    .insertInto(table)
    .values(sample as Insertable<Tables[typeof table]>)
    .compile();
  return (row) => ({ sql, parameters: columns.map((column) => row[column] as string | number | null) });
};

/** Record ids sort by time, so the last id of a page is where the next one starts. */
const listRecords = async (db: Kysely<Tables>, query: RecordQuery) => {
  let select = db
    .selectFrom('records')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (query.owner !== null) select = select.where('owner', '=', query.owner);
  if (query.toolName !== undefined) select = select.where('tool_name', '=', query.toolName);
  if (query.status !== undefined) select = select.where('status', '=', query.status);
  if (query.actor !== undefined) select = select.where('actor', '=', query.actor);
  if (query.since !== undefined) select = select.where('started_at', '>=', utc(query.since));
  if (query.until !== undefined) select = select.where('started_at', '<', utc(query.until));
  if (query.cursor !== undefined) select = select.where('id', '<', readRecordCursor(query.cursor));
  const rows = await select.execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    records: page.map(recordOf),
    nextCursor: rows.length > query.limit && last !== undefined ? recordCursor(last.id) : null,
  };
};

/** Stored times are UTC with milliseconds; any RFC 3339 time compares with them as text once it is written alike. */
const utc = (time: string): string => new Date(time).toISOString();
