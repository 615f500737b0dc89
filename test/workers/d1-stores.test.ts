import { env } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { openD1Database } from '../../adapters/d1/d1-database.ts';
import { migrateD1 } from '../../adapters/d1/migrate-d1.ts';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/sql-idempotency-store.ts';
import { createSqlPluginKvStore } from '../../adapters/sql/sql-plugin-kv-store.ts';
import { createSqlApprovalStore } from '../../adapters/sql/sql-approval-store.ts';
import { createSqlScheduleStore } from '../../adapters/sql/sql-schedule-store.ts';
import { createSqlTaskStore } from '../../adapters/sql/sql-task-store.ts';
import { describeApprovalStore } from '../contract/suites/approval-store.ts';
import { describeCallStore } from '../contract/suites/call-store.ts';
import { describeIdempotencyStore } from '../contract/suites/idempotency-store.ts';
import { describePluginKvStore } from '../contract/suites/plugin-kv-store.ts';
import { describeScheduleStore } from '../contract/suites/schedule-store.ts';
import { describeTaskStore } from '../contract/suites/task-store.ts';

const database = env.DATABASE;

const open = async () => {
  await migrateD1(database, Date.now);
  return openD1Database(database);
};
const close = () => Promise.resolve();

it('has one layout, however many isolates make it at once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => migrateD1(database, Date.now)));
  const [tables] = await database.batch([database.prepare("select name from sqlite_master where type = 'table'")]);
  const names = tables?.results.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['results', 'records', 'resources', 'idempotency_keys', 'plugin_values']),
  );
  await migrateD1(database, Date.now);
});

describeCallStore('D1', async () => {
  const { db, writer } = await open();
  return { store: createSqlCallStore(db, writer), close };
});

describeIdempotencyStore('D1', async () => {
  const { db, writer } = await open();
  return { keys: createSqlIdempotencyStore(db, writer), calls: createSqlCallStore(db, writer), close };
});

describePluginKvStore('D1', async () => {
  const { db, writer } = await open();
  await database.batch([database.prepare('delete from plugin_values')]);
  return { store: createSqlPluginKvStore(db, writer), close };
});

describeScheduleStore('D1', async () => {
  const { db, writer } = await open();
  await database.batch([database.prepare('delete from schedule_runs'), database.prepare('delete from schedules')]);
  return { schedules: createSqlScheduleStore(db, writer), close };
});

describeTaskStore('D1', async () => {
  const { db, writer } = await open();
  await database.batch([database.prepare('delete from tasks')]);
  return {
    tasks: createSqlTaskStore(db, writer),
    calls: createSqlCallStore(db, writer),
    keys: createSqlIdempotencyStore(db, writer),
    close,
  };
});

describeApprovalStore('D1', async () => {
  const { db, writer } = await open();
  await database.batch([database.prepare('delete from approvals')]);
  return { approvals: createSqlApprovalStore(db, writer), close };
});
