// A database that another process holds: the calls wait for it, the server does not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { createMemoryRuntime, callSample } from '../support/memory-runtime.ts';
import { sampleCall } from '../support/sample-calls.ts';

let directory: string;
let path: string;
let other: DatabaseSync;
let opened: Awaited<ReturnType<typeof openSqliteDatabase>>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-locked-'));
  path = join(directory, 'vcp.sqlite');
  opened = await openSqliteDatabase(path);
  other = new DatabaseSync(path);
});
afterEach(() => {
  if (other.isOpen) other.close();
  rmSync(directory, { recursive: true, force: true });
});

const lock = () => other.exec('BEGIN IMMEDIATE');
const unlock = () => other.exec('COMMIT');

/** The longest that a timer of 50 ms was late while `work` was under way. */
const longestPause = async (work: Promise<unknown>): Promise<number> => {
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  let longest = 0;
  let last = performance.now();
  while (!isDone) {
    await sleep(50);
    const now = performance.now();
    longest = Math.max(longest, now - last - 50);
    last = now;
  }
  await ended;
  return longest;
};

describe('while another process holds the database', () => {
  it('a write waits until it is free, and nothing else does', async () => {
    const store = createSqlCallStore(opened.db, opened.writer);
    const call = sampleCall();
    lock();
    const saving = store.saveCall(call);
    const freed = sleep(1_500).then(unlock);
    expect(await longestPause(saving)).toBeLessThan(400);
    await freed;
    expect((await store.getResult(call.result.id))?.result).toEqual(call.result);
    await opened.close();
  });

  it('what was stored before can be read', async () => {
    const store = createSqlCallStore(opened.db, opened.writer);
    const call = sampleCall();
    await store.saveCall(call);
    lock();
    const began = performance.now();
    expect((await store.getResult(call.result.id))?.result).toEqual(call.result);
    expect(performance.now() - began).toBeLessThan(1_000);
    unlock();
    await opened.close();
  });

  it('writes keep their order', async () => {
    const write = (value: string) =>
      opened.writer.write([{ sql: 'INSERT INTO "order_of_writes" ("value") VALUES (?)', parameters: [value] }]);
    other.exec('CREATE TABLE order_of_writes (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT)');
    lock();
    const writes = [write('first'), write('second')];
    await sleep(200);
    writes.push(write('third'));
    await sleep(100);
    unlock();
    writes.push(write('fourth'));
    await Promise.all(writes);
    expect(other.prepare('SELECT value FROM order_of_writes ORDER BY id').all()).toEqual(
      ['first', 'second', 'third', 'fourth'].map((value) => ({ value })),
    );
    await opened.close();
  });

  it('closing waits with the writes, and loses none', async () => {
    const store = createSqlCallStore(opened.db, opened.writer);
    const call = sampleCall();
    lock();
    const saving = store.saveCall(call);
    await sleep(100);
    const closing = opened.close();
    await sleep(300);
    unlock();
    await Promise.all([closing, saving]);
    expect(other.prepare('SELECT id FROM results').all()).toEqual([{ id: call.result.id }]);
  });

  it('a call whose result cannot be stored within 5 seconds is answered all the same, with a warning', async () => {
    const parts = createMemoryRuntime({ calls: createSqlCallStore(opened.db, opened.writer) });
    lock();
    const began = performance.now();
    const calling = callSample(parts);
    expect(await longestPause(calling)).toBeLessThan(400);
    const waited = performance.now() - began;
    expect(waited).toBeGreaterThan(4_500);
    expect(waited).toBeLessThan(8_000);
    expect(await calling).toMatchObject({
      status: 'success',
      execution: { recordId: null },
      warnings: [{ code: 'RESULT_NOT_STORED' }],
    });
    unlock();
    expect(await callSample(parts)).toMatchObject({ status: 'success', warnings: [] });
    await opened.close();
  });

  it('the file is closed also when what waits cannot be written any more', async () => {
    const writing = opened.writer.write([{ sql: 'INSERT INTO "nothing" VALUES (?)', parameters: [1] }]);
    lock();
    const [written, closed] = await Promise.allSettled([writing, opened.close()]);
    unlock();
    expect([written.status, closed.status]).toEqual(['rejected', 'rejected']);
    await expect(opened.db.selectFrom('results').selectAll().execute()).rejects.toThrow();
  });
});
