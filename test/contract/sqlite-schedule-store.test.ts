import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createSqlScheduleStore } from '../../adapters/sql/sql-schedule-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { sampleIds } from '../support/sample-calls.ts';
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

it('gives each due time to one of three processes that take them in the same moment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-schedules-'));
  const file = join(directory, 'vcp.sqlite');
  const opened = await openSqliteDatabase(file);
  const store = createSqlScheduleStore(opened.db, opened.writer);
  const first = Date.parse('2026-11-30T12:00:00.000Z');
  const made = Array.from({ length: 10 }, () => sampleIds.next('schedule'));
  for (const id of made)
    await store.create(
      {
        id,
        owner: 'owner',
        toolName: 'Sample',
        label: null,
        arguments: {},
        actor: null,
        source: 'human',
        at: null,
        cron: '* * * * * *',
        timeZone: 'UTC',
        startAt: null,
        endAt: null,
        maxRuns: null,
        timeoutMs: null,
        missed: 'skip',
        overlap: 'run',
        state: 'active',
        nextAt: first,
        runCount: 0,
        createdAt: first,
        updatedAt: first,
      },
      100,
    );
  const script = join(repositoryRoot, 'test', 'fixtures', 'take-due-times.mjs');
  const args = [script, file, String(Date.now() + 2_000), String(first + 19_000)];
  const outputs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)));
  const taken = outputs.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
  const expected = made.flatMap((id) => Array.from({ length: 20 }, (_, n) => `${id} ${first + n * 1_000}`));
  expect(taken.toSorted()).toEqual(expected.toSorted());
  for (const id of made) {
    expect(await store.get(id)).toMatchObject({ state: 'ended', runCount: 20 });
    expect((await store.listRuns({ scheduleId: id, limit: 100 })).runs).toHaveLength(20);
  }
  await opened.close();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);
