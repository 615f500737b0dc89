import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { add, call, invocationLine, list, pluginDirectory, temporaryDirectory } from './support/run-plugin.mjs';

const addLine = (content) => invocationLine({ command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content });
const file = (schedules) => JSON.stringify({ version: 1, schedules });
const schedule = (index, content = 'x') => ({ id: `sch_${index}`, time: '2026-07-12T10:00:00Z', content });

/** Runs a shell script in a mount namespace of its own, with `$DATA` a directory to mount on. */
function runWithMounts(t, script) {
  const data = temporaryDirectory(t);
  const prelude = 'call() { printf "%s" "$1" | VCP_PLUGIN_DATA_DIR="$DATA" "$NODE" main.mjs; }; set -e; ';
  return spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', prelude + script], {
    cwd: pluginDirectory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE: process.execPath, DATA: data, LINE: addLine('x'.repeat(1_000)) },
  });
}

const canMount =
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;
const needsMounts = canMount ? false : 'needs user namespaces that may mount';

const corrupted = {
  'half a file': ['{"version":1,"schedules":[{"id":"sch_1","ti', 'it is not JSON in UTF-8'],
  'an empty file': ['', 'it is empty'],
  'bytes that are not UTF-8': [Buffer.from(file([schedule(1, 'caf\u00e9')]), 'latin1'), 'it is not JSON in UTF-8'],
  'another shape': ['[]', 'it is not an object of "version" and "schedules"'],
  'a later version': ['{"version":2,"schedules":[]}', 'its version is not 1'],
  'a list that is none': ['{"version":1,"schedules":{}}', '/schedules is not an array'],
  'an additional field': [
    file([{ ...schedule(1), note: '' }]),
    '/schedules/0 is not an object of "id", "time" and "content"',
  ],
  'a number for text': [file([schedule(1), { ...schedule(2), content: 5 }]), '/schedules/1/content is not a string'],
  'a day that does not exist': [
    file([{ ...schedule(1), time: '2026-02-30T00:00:00Z' }]),
    '/schedules/0/time is not an RFC 3339 date-time',
  ],
  'an id twice': [file([schedule(1), schedule(1)]), '/schedules/1/id is that of an earlier schedule'],
};
for (const [name, [bytes, fault]] of Object.entries(corrupted)) {
  test(`a damaged file is refused and left untouched: ${name}`, async (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, 'schedules.json');
    writeFileSync(path, bytes);
    for (const args of [
      { command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content: 'x' },
      { command: 'ListSchedules' },
      { command: 'DeleteSchedule', id: 'sch_1' },
    ]) {
      const { error } = await call(directory, args);
      assert.equal(error.code, 'SCHEDULE.STORE_CORRUPT');
      assert.equal(error.retryable, false);
      assert.deepEqual(error.details, { file: 'schedules.json', fault });
      assert.match(error.message, /left untouched.*Restore it from a backup, or move it away/);
    }
    assert.deepEqual(readFileSync(path), Buffer.from(bytes));
    assert.deepEqual(readdirSync(directory), ['schedules.json']);
  });
}

test('a write that the system cuts short is a typed error and leaves the stored schedules as they were', async (t) => {
  const directory = temporaryDirectory(t);
  await add(directory, 'before');
  const before = readFileSync(join(directory, 'schedules.json'));
  const { error } = await call(
    directory,
    { command: 'AddSchedule', time: '2026-07-12T10:00:00Z', content: 'x'.repeat(2_000) },
    { command: 'sh', commandArgs: ['-c', 'ulimit -f 1; exec "$0" main.mjs', process.execPath] },
  );
  assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
  assert.deepEqual(error.details, { reason: 'EFBIG', operation: 'write' });
  assert.deepEqual(readFileSync(join(directory, 'schedules.json')), before);
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test(
  'a full disk is a typed, retryable error and leaves the stored schedules as they were',
  { skip: needsMounts },
  (t) => {
    const { stdout, stderr } = runWithMounts(
      t,
      'mount -t tmpfs -o size=64k none "$DATA"; call "$LINE"; dd if=/dev/zero of="$DATA/fill" 2>/dev/null || true; ' +
        'before=$(cat "$DATA/schedules.json"); call "$LINE"; test "$before" = "$(cat "$DATA/schedules.json")" && echo unchanged; ' +
        'ls "$DATA"',
    );
    const [first, second, ...rest] = stdout.trim().split('\n');
    assert.equal(JSON.parse(first).payload.status, 'success', stderr);
    const { error } = JSON.parse(second).payload;
    assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
    assert.equal(error.retryable, true);
    assert.equal(error.details.reason, 'ENOSPC');
    assert.match(error.message, /Free disk space/);
    assert.deepEqual(rest, ['unchanged', 'fill', 'schedules.json']);
  },
);

test('a file system mounted read-only is a typed error', { skip: needsMounts }, (t) => {
  const { stdout, stderr } = runWithMounts(t, 'mount -t tmpfs -o ro none "$DATA"; call "$LINE"');
  assert.notEqual(stdout, '', stderr);
  const { error } = JSON.parse(stdout).payload;
  assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
  assert.equal(error.retryable, false);
  assert.equal(error.details.reason, 'EROFS');
});

test(
  'a directory without write permission is a typed error',
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  async (t) => {
    const directory = temporaryDirectory(t);
    chmodSync(directory, 0o555);
    const { error } = await add(directory, 'x');
    assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
    assert.equal(error.details.reason, 'EACCES');
  },
);

test('a file in the place of the data directory is a typed error that names no path', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'file'), '');
  const { error } = await add(join(directory, 'file'), 'x');
  assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
  assert.equal(error.details.reason, 'EEXIST');
  assert.ok(!JSON.stringify(error).includes(directory));
});

test('a missing VCP_PLUGIN_DATA_DIR is a typed error', async () => {
  const { error } = await add(undefined, 'x');
  assert.equal(error.code, 'SCHEDULE.STORE_UNAVAILABLE');
  assert.deepEqual(error.details, { variable: 'VCP_PLUGIN_DATA_DIR' });
});

test('what a killed writer left unfinished is cleared away', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'schedules.json.1-2-3-4.tmp'), '{"version":1,"sched');
  assert.equal((await add(directory, 'x')).status, 'success');
  assert.deepEqual(readdirSync(directory), ['schedules.json']);
});

test('the 10,000th schedule is added, the 10,001st refused', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'schedules.json'), file(Array.from({ length: 9_999 }, (_, index) => schedule(index))));
  assert.equal((await add(directory, 'x')).status, 'success');
  const { error } = await add(directory, 'x');
  assert.equal(error.code, 'SCHEDULE.LIMIT_REACHED');
  assert.deepEqual(error.details, { limit: 10_000 });
  assert.equal((await list(directory)).data.total, 10_000);
});

test('a listing too large for one frame is cut, and says so', async (t) => {
  const directory = temporaryDirectory(t);
  const schedules = Array.from({ length: 10_000 }, (_, index) => schedule(index, '会'.repeat(2_000)));
  writeFileSync(join(directory, 'schedules.json'), file(schedules));
  const payload = await list(directory);
  const returnedCount = payload.data.schedules.length;
  assert.equal(payload.data.total, 10_000);
  assert.ok(returnedCount > 1_000 && returnedCount < 10_000);
  assert.ok(Buffer.byteLength(JSON.stringify(payload)) < 9 * 1024 * 1024);
  assert.equal(payload.warnings[0].code, 'OUTPUT_TRUNCATED');
  assert.deepEqual(payload.warnings[0].details, { originalCount: 10_000, returnedCount });
});
