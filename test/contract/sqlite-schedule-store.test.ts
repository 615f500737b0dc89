import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlScheduleStore } from '../../adapters/sql/sql-schedule-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { describeScheduleStore } from './suites/schedule-store.ts';

describeScheduleStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-schedules-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return {
    schedules: createSqlScheduleStore(db, writer),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
