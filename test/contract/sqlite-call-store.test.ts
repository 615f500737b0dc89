import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { sampleCall, sampleResource } from '../support/sample-calls.ts';
import { describeCallStore } from './suites/call-store.ts';

const open = async (path: string) => {
  const { db, writer, close } = await openSqliteDatabase(path);
  return { store: createSqlCallStore(db, writer), writer, close };
};

describeCallStore(
  'SQLite',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'vcp-test-sqlite-'));
    const opened = await open(join(directory, 'vcp.sqlite'));
    const close = async () => {
      await opened.close();
      rmSync(directory, { recursive: true, force: true });
    };
    return { store: opened.store, close };
  },
  { cutsAtNul: 'Deno' in globalThis },
);

describe('a SQLite file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'vcp-test-sqlite-'));
    path = join(directory, 'vcp.sqlite');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const inOtherProcesses = (processes: number, calls: number) => {
    const at = String(Date.now() + 1_500);
    const script = join(repositoryRoot, 'test', 'fixtures', 'open-call-store.mjs');
    return Promise.all(
      Array.from({ length: processes }, () => promisify(execFile)(process.execPath, [script, path, at, String(calls)])),
    );
  };

  it('has everything again when it is opened anew', async () => {
    const first = await open(path);
    const calls = Array.from({ length: 20 }, (_, index) =>
      sampleCall({ data: { index }, resources: [sampleResource()] }),
    );
    await Promise.all(calls.map((call) => first.store.saveCall(call)));
    await first.close();
    const second = await open(path);
    for (const call of calls) {
      expect(await second.store.getResult(call.result.id)).toEqual({ owner: 'owner', result: call.result });
      expect(await second.store.getRecord(call.record!.id)).toEqual(call.record);
      expect((await second.store.getResource(call.result.resources[0]!.id))?.descriptor).toEqual(
        call.result.resources[0],
      );
    }
    expect((await second.store.listRecords({ owner: null, limit: 100 })).records).toHaveLength(20);
    await second.close();
  });

  it('is written before it is closed, also what was saved in the last moment', async () => {
    const first = await open(path);
    const call = sampleCall();
    const saved = first.store.saveCall(call);
    await first.close();
    await saved;
    const second = await open(path);
    expect((await second.store.getResult(call.result.id))?.result).toEqual(call.result);
    await second.close();
  });

  it('is migrated once, however often it is opened', async () => {
    for (let round = 0; round < 3; round += 1) await (await open(path)).close();
    const opened = await open(path);
    const reader = new DatabaseSync(path);
    expect(reader.prepare('SELECT count(*) AS n FROM kysely_migration').get()).toEqual({ n: 9 });
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    reader.close();
    await opened.close();
  });

  it('is migrated once when three processes open it in the same moment, and takes what all of them write', async () => {
    const outputs = await inOtherProcesses(3, 200);
    const ids = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
    expect(ids).toHaveLength(600);
    const opened = await open(path);
    for (const id of ids) expect(await opened.store.getResult(id)).not.toBeNull();
    expect((await opened.store.listRecords({ owner: null, limit: 1_000 })).records).toHaveLength(600);
    await opened.close();
  });

  it('waits for another writer instead of failing', async () => {
    const opened = await open(path);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const child = inOtherProcesses(1, 4);
    // The other process starts to write while the lock is held, and is let in a second later.
    await new Promise((resolve) => setTimeout(resolve, 2_800));
    other.exec('COMMIT');
    other.close();
    const [written] = await child;
    expect(written?.stdout.trim().split('\n')).toHaveLength(4);
    await opened.close();
  });

  it('keeps the process waiting once, not once a call, when another writer never lets go', async () => {
    const opened = await open(path);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => opened.store.saveCall(sampleCall())));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect(performance.now() - began).toBeLessThan(9_000);
    other.exec('COMMIT');
    other.close();
    await opened.store.saveCall(sampleCall());
    await opened.close();
  });

  it('can be opened by a reader while it is written, and the reader sees only whole calls', async () => {
    const writer = await open(path);
    const reader = await open(path);
    const calls = Array.from({ length: 50 }, () => sampleCall());
    const saving = Promise.all(calls.map((call) => writer.store.saveCall(call)));
    const before = await reader.store.listRecords({ owner: null, limit: 100 });
    for (const record of before.records) expect(await reader.store.getResult(record.resultId)).not.toBeNull();
    await saving;
    expect((await reader.store.listRecords({ owner: null, limit: 100 })).records).toHaveLength(50);
    await writer.close();
    await reader.close();
  });
});
