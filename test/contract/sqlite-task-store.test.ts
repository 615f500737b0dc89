import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/sql-idempotency-store.ts';
import { createSqlTaskStore } from '../../adapters/sql/sql-task-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { describeTaskStore } from './suites/task-store.ts';

describeTaskStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-tasks-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return {
    tasks: createSqlTaskStore(db, writer),
    calls: createSqlCallStore(db, writer),
    keys: createSqlIdempotencyStore(db, writer),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
