import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlInboxStore } from '../../adapters/sql/sql-inbox-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { describeInboxStore } from './suites/inbox-store.ts';

describeInboxStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-inbox-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return {
    inbox: createSqlInboxStore(db, writer),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
