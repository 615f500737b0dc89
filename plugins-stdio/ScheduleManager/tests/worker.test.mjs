import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { acquireFileLock } from '../file-lock.mjs';
import { add, list, startWorker, temporaryDirectory } from './support/run-plugin.mjs';

const addArguments = (content) => ({ command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content });
const contentsOf = ({ data }) => data.schedules.map(({ content }) => content).toSorted();

test('one process serves call after call, and ends when stdin does', async (t) => {
  const worker = startWorker(t, temporaryDirectory(t));
  const added = await worker.call(addArguments('会议'));
  assert.deepEqual((await worker.call({ command: 'ListSchedules' })).data.schedules, [added.data.schedule]);
  assert.equal((await worker.call({ command: 'DeleteSchedule', id: 'sch_none' })).error.code, 'SCHEDULE.NOT_FOUND');
  assert.equal((await worker.call({ command: 'DeleteSchedule', id: added.data.schedule.id })).status, 'success');
  worker.child.stdin.end();
  assert.deepEqual(await worker.exited, [0, null]);
});

test('calls at once in one process, in several, and one a process lose nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const workers = [startWorker(t, directory), startWorker(t, directory)];
  const contents = Array.from({ length: 60 }, (_, index) => `schedule ${index}`);
  const results = await Promise.all(
    contents.map((content, index) =>
      index % 10 === 0 ? add(directory, content) : workers[index % 2].call(addArguments(content)),
    ),
  );
  assert.deepEqual([...new Set(results.map(({ status }) => status))], ['success']);
  const stored = await list(directory);
  assert.deepEqual(contentsOf(stored), contents.toSorted());
  assert.equal(new Set(stored.data.schedules.map(({ id }) => id)).size, 60);

  const ids = stored.data.schedules.map(({ id }) => id);
  const deleted = await Promise.all(
    [...ids, ...ids].map((id, index) => workers[index % 2].call({ command: 'DeleteSchedule', id })),
  );
  assert.equal(deleted.filter(({ status }) => status === 'success').length, 60);
  assert.equal(deleted.filter(({ error }) => error?.code === 'SCHEDULE.NOT_FOUND').length, 60);
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('a call that is cancelled while it waits changes nothing, and the others go on', async (t) => {
  const directory = temporaryDirectory(t);
  const lock = await acquireFileLock(directory, 'schedules.lock', { waitMs: 1_000 });
  const worker = startWorker(t, directory);
  const cancelled = worker.call(addArguments('cancelled'), { invocationId: 'ti_cancelled' });
  const waiting = worker.call(addArguments('waits on'));
  // The lock, and what each of the two has prepared aside.
  while (readdirSync(directory).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  worker.cancel('ti_cancelled');
  assert.equal((await cancelled).status, 'cancelled');
  assert.equal(readdirSync(directory).length, 2);
  assert.deepEqual(contentsOf(await worker.call({ command: 'ListSchedules' })), []);
  lock.release();
  assert.equal((await waiting).status, 'success');
  assert.deepEqual(contentsOf(await list(directory)), ['waits on']);
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('SIGTERM ends all waiting calls and leaves nothing of them', async (t) => {
  const directory = temporaryDirectory(t);
  const lock = await acquireFileLock(directory, 'schedules.lock', { waitMs: 1_000 });
  const worker = startWorker(t, directory);
  for (const content of ['a', 'b', 'c']) void worker.call(addArguments(content));
  while (readdirSync(directory).length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, [143, null]);
  assert.deepEqual(readdirSync(directory), ['schedules.lock']);
  lock.release();
});
