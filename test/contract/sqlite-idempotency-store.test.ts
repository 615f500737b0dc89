import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/sql-idempotency-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { describeIdempotencyStore } from './suites/idempotency-store.ts';

describeIdempotencyStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-keys-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return {
    keys: createSqlIdempotencyStore(db, writer),
    calls: createSqlCallStore(db, writer),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

it('repeats no call of a database from before that was noted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-keys-'));
  const file = join(directory, 'vcp.sqlite');
  await (await openSqliteDatabase(file)).close();
  const old = new DatabaseSync(file);
  old.exec(`ALTER TABLE idempotency_keys DROP COLUMN is_repeatable;
    DROP TABLE plugin_values; DROP TABLE schedules; DROP TABLE schedule_runs;
    DROP TABLE tasks; DROP TABLE task_callbacks; DROP TABLE approvals;
    DROP TABLE inbox_blobs; DROP TABLE inbox_items; DROP TABLE inbox_callbacks;
    DROP INDEX results_by_time; DROP INDEX records_by_time; DROP INDEX resources_by_time;
    DELETE FROM kysely_migration WHERE name >= '0003';
    INSERT INTO idempotency_keys VALUES ('owner', 'key', 'f', 'ti_1', 'test', '2026-11-30T12:00:00.000Z',
      '2026-11-30T12:00:15.000Z', '2026-12-01T12:00:15.000Z', NULL);`);
  old.close();
  const { db, writer, close } = await openSqliteDatabase(file);
  expect(await createSqlIdempotencyStore(db, writer).find('owner', 'key')).toMatchObject({
    invocationId: 'ti_1',
    isRepeatable: false,
    resultId: null,
  });
  await close();
  rmSync(directory, { recursive: true, force: true });
});

it('gives each key to one of three processes that ask for the same ones in the same moment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-keys-'));
  const script = join(repositoryRoot, 'test', 'fixtures', 'claim-keys.mjs');
  const at = String(Date.now() + 2_000);
  const args = [script, join(directory, 'vcp.sqlite'), at, '100'];
  const outputs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)));
  const taken = outputs.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
  expect(taken.toSorted()).toEqual(Array.from({ length: 100 }, (_, index) => `key ${100 + index}`));
  rmSync(directory, { recursive: true, force: true });
}, 30_000);
