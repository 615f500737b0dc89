import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { commandsWith, javascript, needsIsolation, python, withCode } from './support/snippets.mjs';

test('a snippet sees no host: no network, no files, no environment', { skip: needsIsolation }, async (t) => {
  process.env.CODE_RUNNER_TEST_SECRET = 'geheim';
  const server = createServer((socket) => socket.end());
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { data } = await python(
    t,
    `import os, socket
for path in ['/etc/passwd', '/home', ${JSON.stringify(import.meta.filename)}, ${JSON.stringify(tmpdir())} + '/x']:
    print(os.path.exists(path))
try:
    socket.create_connection(('127.0.0.1', ${server.address().port}), 2)
except OSError as error:
    print(error.strerror)
print(sorted(os.environ))
try:
    open('/usr/planted', 'w')
except OSError as error:
    print(error.strerror)`,
  );
  assert.equal(data.stderr, '');
  assert.equal(
    data.stdout,
    "False\nFalse\nFalse\nFalse\nNetwork is unreachable\n['HOME', 'LANG', 'PATH']\nRead-only file system\n",
  );
  assert.deepEqual([data.network, data.fileSystem], ['none', 'private']);
});

test('a snippet has no rights to change its root back', { skip: needsIsolation }, async (t) => {
  const { data } = await python(
    t,
    `import subprocess
for line in open('/proc/self/status'):
    if line.startswith(('CapEff', 'CapBnd', 'NoNewPrivs')): print(line.split()[1])
print(subprocess.run(['unshare', '--mount', 'true'], capture_output=True).returncode != 0)`,
  );
  assert.equal(data.stdout, '0000000000000000\n0000000000000000\n1\nTrue\n');
});

test('JavaScript starts no process and reads nothing but its own files', async (t) => {
  const { data } = await javascript(
    t,
    `import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
for (const attempt of [() => readFileSync('/usr/bin/env'), () => writeFileSync('/usr/x', ''), () => spawnSync('true')])
  try { attempt(); console.log('done'); } catch (error) { console.log(error.code); }`,
  );
  assert.equal(data.stdout, 'ERR_ACCESS_DENIED\nERR_ACCESS_DENIED\nERR_ACCESS_DENIED\n');
});

test('what a snippet started ends with it, in a session of its own too', { skip: needsIsolation }, async (t) => {
  const marker = `code-runner-orphan-${process.pid}`;
  await python(
    t,
    `import subprocess
subprocess.Popen(['sh', '-c', 'trap "" TERM; : ${marker}; while true; do sleep 1; done'], start_new_session=True)
print('left')`,
  );
  assert.deepEqual(commandsWith(marker), []);
});

test(
  'a snippet that ignores SIGTERM and one that forks without end are stopped in time',
  { skip: needsIsolation },
  async (t) => {
    const stubborn = 'import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)';
    await assert.rejects(python(t, stubborn, { timeoutMs: 2_000 }), withCode('CODE.TIME_LIMIT'));
    // At most 200 processes, whatever limits this machine has.
    const forks =
      'import os, time\nfor _ in range(200):\n    try:\n        if os.fork() == 0: time.sleep(60)\n    except OSError: break\ntime.sleep(60)';
    await assert.rejects(
      python(t, forks.replace('if os.fork() == 0: time.sleep(60)', 'if os.fork() == 0:\n            time.sleep(60)'), {
        timeoutMs: 3_000,
      }),
      withCode('CODE.TIME_LIMIT'),
    );
  },
);

test('memory is bounded', { skip: process.platform !== 'linux' && 'needs prlimit' }, async (t) => {
  const { data } = await python(t, 'x = bytearray(400 * 1024 * 1024)', { memoryMb: 128 });
  assert.equal(data.exitCode, 1);
  assert.match(data.stderr, /MemoryError/);
  const grow = 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));';
  await assert.rejects(javascript(t, grow, { memoryMb: 64 }), withCode('CODE.MEMORY_LIMIT'));
});

test('output is bounded, and what there is of it is kept', async (t) => {
  await assert.rejects(python(t, "while True: print('flood' * 1000)"), (error) => {
    assert.equal(error.code, 'CODE.OUTPUT_LIMIT');
    assert.match(error.details.stdout, /^flood/);
    return error.details.stdout.length <= 16_384;
  });
});

test('a time limit keeps what was printed before', async (t) => {
  await assert.rejects(
    python(t, "import time\nprint('begun', flush=True)\ntime.sleep(60)", { timeoutMs: 3_000 }),
    (error) => {
      assert.equal(error.code, 'CODE.TIME_LIMIT');
      return error.details.stdout === 'begun\n';
    },
  );
});

test('output that is not text is shown as such, with a warning', async (t) => {
  const { data, warnings } = await python(t, "import sys\nsys.stdout.buffer.write(b'a\\x00\\xff\\xe4\\xb8\\xad')");
  assert.equal(data.stdout, 'a\ufffd\ufffd中');
  assert.ok(warnings.some(({ code }) => code === 'BINARY_OUTPUT'));
});

test('files that were written come back byte for byte; links and given files do not', async (t) => {
  const { data, resources, read } = await python(
    t,
    "import os\nos.mkdir('sub')\nopen('sub/b.bin', 'wb').write(bytes(range(256)))\nos.symlink('/usr/bin/env', 'link')",
    { files: [{ name: 'given.txt', content: 'given' }] },
  );
  assert.deepEqual(data.files, [{ name: 'sub/b.bin', bytes: 256, file: { $resource: 'file-1' } }]);
  assert.equal(resources[0].fileName, 'sub_b.bin');
  assert.deepEqual(
    [...read('file-1')],
    Array.from({ length: 256 }, (_, index) => index),
  );
});

test('more files than are returned are counted', async (t) => {
  const { data, warnings } = await python(t, "for i in range(20): open(f'f{i:02}', 'w').write('x')");
  assert.equal(data.files.length, 16);
  assert.equal(warnings.find(({ code }) => code === 'FILES_LEFT_OUT').details.count, 4);
});

test('a cancelled call ends its snippet', async (t) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 500);
  await python(t, 'import time\ntime.sleep(60)', { timeoutMs: 60_000 }, { signal: controller.signal });
  assert.ok(controller.signal.aborted);
});

test('many snippets at once keep apart, and leave no directory behind', async (t) => {
  const runs = await Promise.all(
    [1, 2, 3].map((number) => python(t, `open('x', 'w').write('${number}')\nprint(${number})`)),
  );
  assert.deepEqual(
    runs.map(({ data }) => data.stdout),
    ['1\n', '2\n', '3\n'],
  );
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('vcp-code-')),
    [],
  );
});
