import { env } from 'cloudflare:test';
import { openD1Database } from '../../adapters/d1/d1-database.ts';
import { migrateD1 } from '../../adapters/d1/migrate-d1.ts';
import { createSqlInboxStore } from '../../adapters/sql/sql-inbox-store.ts';
import { describeInboxStore } from '../contract/suites/inbox-store.ts';

describeInboxStore('D1', async () => {
  await migrateD1(env.DATABASE, Date.now);
  const { db, writer } = openD1Database(env.DATABASE);
  return { inbox: createSqlInboxStore(db, writer), close: () => Promise.resolve() };
});
