import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { acquireFileLock } from '../file-lock.mjs';
import { forgetOwner, nameOwner } from '../lock-owner.mjs';
import { add, invocationLine, list, startPlugin, temporaryDirectory } from './support/run-plugin.mjs';

const supportFile = (name) => join(import.meta.dirname, 'support', name);
const onLinux = existsSync('/proc/self/stat') ? false : 'needs /proc';

async function startHolder(t, directory, { orphanOfSleep = false } = {}) {
  const args = [supportFile('hold-lock.mjs'), directory];
  const child = orphanOfSleep
    ? spawn('sh', ['-c', '"$@" & exec sleep 60', 'sh', process.execPath, ...args])
    : spawn(process.execPath, args);
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, pid: Number(line) };
}

function plantOwner(directory, owner, ageSeconds = 0) {
  mkdirSync(join(directory, 'schedules.lock'));
  const entryPath = join(directory, 'schedules.lock', owner);
  writeFileSync(entryPath, '');
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(entryPath, time, time);
}

function renameParts(owner, change) {
  const parts = owner.split('-');
  return Object.assign(parts, change).join('-');
}

test('20 processes adding at once lose nothing', async (t) => {
  const directory = join(temporaryDirectory(t), 'made', 'on', 'demand');
  const contents = Array.from({ length: 20 }, (_, index) => `schedule ${index}`);
  const results = await Promise.all(contents.map((content) => add(directory, content)));

  assert.deepEqual([...new Set(results.map(({ status }) => status))], ['success']);
  const { schedules, total } = (await list(directory)).data;
  assert.equal(total, 20);
  assert.deepEqual(schedules.map(({ content }) => content).toSorted(), contents.toSorted());
  assert.equal(new Set(schedules.map(({ id }) => id)).size, 20);
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('kill -9 of a lock holder is recovered from at once', async (t) => {
  const directory = temporaryDirectory(t);
  const { child } = await startHolder(t, directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(readdirSync(join(directory, 'schedules.lock')).length, 1);

  const startedAt = performance.now();
  assert.equal((await add(directory, 'after the kill')).status, 'success');
  assert.ok(performance.now() - startedAt < 1_000);
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('a killed holder whose parent never collects it (a zombie) is recovered from', { skip: onLinux }, async (t) => {
  const directory = temporaryDirectory(t);
  const { pid } = await startHolder(t, directory, { orphanOfSleep: true });
  process.kill(pid, 'SIGKILL');
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')))
    await new Promise((resolve) => setTimeout(resolve, 5));

  assert.equal((await add(directory, 'after the kill')).status, 'success');
});

test('never two owners at once, with owners dying at any time', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'counter'), '0');
  writeFileSync(join(directory, 'log'), '');
  const exits = Array.from({ length: 40 }, async () => {
    const [, signal] = await once(
      spawn(process.execPath, [supportFile('count-under-lock.mjs'), directory, '20']),
      'exit',
    );
    return signal;
  });
  const signals = await Promise.all(exits);

  assert.ok(signals.includes('SIGKILL'), 'no owner died: the test proves nothing');
  const values = readFileSync(join(directory, 'log'), 'utf8').trim().split('\n').map(Number);
  assert.deepEqual(
    values,
    Array.from(values, (_, index) => index + 1),
  );
  assert.equal(readFileSync(join(directory, 'counter'), 'utf8'), String(values.length));
});

test('processes killed at any time lose no schedule that they confirmed', async (t) => {
  const directory = temporaryDirectory(t);
  const results = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { child, done } = startPlugin(directory);
      child.stdin.end(invocationLine({ command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content: `${index}` }));
      if (index % 2 === 0) setTimeout(() => child.kill('SIGKILL'), 300 + index * 40);
      return done;
    }),
  );
  const confirmed = results
    .filter(({ payload }) => payload?.status === 'success')
    .map(({ payload }) => payload.data.schedule.id);
  assert.ok(confirmed.length >= 15);

  assert.equal((await add(directory, 'last')).status, 'success');
  const stored = new Set((await list(directory)).data.schedules.map(({ id }) => id));
  assert.deepEqual(
    confirmed.filter((id) => !stored.has(id)),
    [],
  );
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('a living holder makes a call give up as busy before its deadline', async (t) => {
  const directory = temporaryDirectory(t);
  await startHolder(t, directory);
  const { child, done } = startPlugin(directory);
  const frame = JSON.parse(invocationLine({ command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content: 'x' }));
  frame.payload.context.deadline = new Date(Date.now() + 1_500).toISOString();
  child.stdin.end(`${JSON.stringify(frame)}\n`);
  const startedAt = performance.now();
  const { payload } = await done;

  assert.ok(performance.now() - startedAt < 1_500);
  assert.equal(payload.error.code, 'SCHEDULE.BUSY');
  assert.equal(payload.error.retryable, true);
  assert.deepEqual(readdirSync(directory), ['schedules.lock']);
  assert.equal((await list(directory)).status, 'success', 'a listing needs no lock');
});

test('SIGTERM ends a waiting call at once and leaves nothing of it', async (t) => {
  const directory = temporaryDirectory(t);
  await startHolder(t, directory);
  const { child, done } = startPlugin(directory);
  child.stdin.end(invocationLine({ command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content: 'x' }));
  while (readdirSync(directory).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGTERM');
  const { exitCode, stdout } = await done;

  assert.equal(exitCode, 143);
  assert.equal(stdout, '');
  assert.deepEqual(readdirSync(directory), ['schedules.lock']);
});

test('SIGTERM makes a holder release the lock', async (t) => {
  const directory = temporaryDirectory(t);
  const { child } = await startHolder(t, directory);
  child.kill('SIGTERM');
  const [exitCode] = await once(child, 'exit');
  assert.equal(exitCode, 143);
  assert.deepEqual(readdirSync(directory), []);
});

test('an owner whose pid now belongs to a later process is gone', { skip: onLinux }, async (t) => {
  const directory = temporaryDirectory(t);
  plantOwner(directory, renameParts(nameOwner(), { 1: '1' }));
  const lock = await acquireFileLock(directory, 'schedules.lock', { waitMs: 1_000 });
  assert.notEqual(lock, null);
  lock.release();
});

test('what an ended call of this process could not remove is recovered from', async (t) => {
  const directory = temporaryDirectory(t);
  const ended = nameOwner();
  plantOwner(directory, ended);
  assert.equal(await acquireFileLock(directory, 'schedules.lock', { waitMs: 200 }), null, 'it has not ended yet');
  forgetOwner(ended);
  const lock = await acquireFileLock(directory, 'schedules.lock', { waitMs: 1_000 });
  assert.equal(lock.isHeld(), true);
  lock.release();
});

test('two calls of one process never hold it at once', async (t) => {
  const directory = temporaryDirectory(t);
  let holders = 0;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const lock = await acquireFileLock(directory, 'schedules.lock', { waitMs: 30_000 });
      holders += 1;
      assert.equal(holders, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      holders -= 1;
      lock.release();
    }),
  );
  assert.deepEqual(readdirSync(directory), []);
});

test('an owner from elsewhere is respected, until it is older than any call can be', async (t) => {
  const elsewhere = renameParts(nameOwner(), { 2: 'elsewhere' });
  const recent = temporaryDirectory(t);
  plantOwner(recent, elsewhere, 20);
  assert.equal(await acquireFileLock(recent, 'schedules.lock', { waitMs: 200 }), null);

  const old = temporaryDirectory(t);
  plantOwner(old, elsewhere, 40);
  const lock = await acquireFileLock(old, 'schedules.lock', { waitMs: 1_000 });
  assert.equal(lock.isHeld(), true);
  lock.release();
});

test('aborting lets go, whether waiting or holding', async (t) => {
  const directory = temporaryDirectory(t);
  const holding = new AbortController();
  const held = await acquireFileLock(directory, 'schedules.lock', { waitMs: 100, signal: holding.signal });
  const waiting = new AbortController();
  const refused = acquireFileLock(directory, 'schedules.lock', { waitMs: 5_000, signal: waiting.signal });
  waiting.abort();
  await assert.rejects(refused, { name: 'AbortError' });
  assert.equal(held.isHeld(), true);
  holding.abort();
  assert.equal(held.isHeld(), false);
  assert.deepEqual(readdirSync(directory), []);
});
