import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createProcessLocks, LockTimeout } from '../process-locks.mjs';

const holder = join(import.meta.dirname, 'support', 'hold-lock.mjs');
const soon = () => ({ giveUpAt: Date.now() + 30_000 });

function lockDirectory(t) {
  const directory = mkdtempSync(join(tmpdir(), 'process-locks-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a lock is held by one at a time, and by nobody once its holder was killed', async (t) => {
  const directory = lockDirectory(t);
  const locks = createProcessLocks(directory);
  const child = spawn(process.execPath, [holder, directory, 'key'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const atOnce = { giveUpAt: Date.now() };
  await assert.rejects(
    locks.hold(['key'], atOnce, async () => {}),
    LockTimeout,
  );
  child.kill('SIGKILL');
  assert.equal(await locks.hold(['key'], soon(), async () => 'had'), 'had');
});

test('holders of several keys never wait for each other in a circle', async (t) => {
  const locks = createProcessLocks(lockDirectory(t));
  let inside = 0;
  const enter = async () => {
    inside += 1;
    assert.equal(inside, 1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside -= 1;
  };
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => locks.hold(index % 2 === 0 ? ['a', 'b', 'a'] : ['b', 'a'], soon(), enter)),
  );
});

test('a lock is free again after its action failed, and waiting ends with its signal', async (t) => {
  const locks = createProcessLocks(lockDirectory(t));
  await assert.rejects(
    locks.hold(['key'], soon(), async () => {
      throw new Error('failed');
    }),
    /failed/,
  );
  const { promise, resolve } = Promise.withResolvers();
  const held = locks.hold(['key'], soon(), () => promise);
  const controller = new AbortController();
  const waiting = locks.hold(['key'], { ...soon(), signal: controller.signal }, async () => {});
  controller.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  resolve();
  await held;
});
