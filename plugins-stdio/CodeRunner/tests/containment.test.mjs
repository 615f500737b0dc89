import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findIsolation } from '../sandbox/isolation.mjs';
import { sweepOld } from '../sandbox/remove-directories.mjs';
import { runBounded } from '../sandbox/run-bounded.mjs';
import { commandsWith, javascript, needsIsolation, python, withCode } from './support/snippets.mjs';

const until = async (condition) => {
  for (const end = Date.now() + 30_000; !condition(); await sleep(50))
    if (Date.now() > end) throw new Error(`not within 30 s: ${condition}`);
};

/** Python that does what it can to outlive whoever started it: it asks for no signal of its parent's death. */
const clinging = (marker) => `import ctypes, signal, subprocess, time
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
for name in ('SIGTERM', 'SIGHUP', 'SIGINT'): signal.signal(getattr(signal, name), signal.SIG_IGN)
subprocess.Popen(['sh', '-c', 'trap "" TERM HUP; : ${marker}; while true; do sleep 1; done'], start_new_session=True)
time.sleep(600)`;

test(
  'a snippet of a server that root runs is not root',
  { skip: needsIsolation || (process.geteuid() !== 0 && 'the server is not root') },
  async (t) => {
    const { data } = await python(t, "print(open('/proc/self/uid_map').read().split())");
    assert.equal(data.stdout, "['0', '65534', '1']\n");
  },
);

test('a snippet writes no setting of the kernel', { skip: needsIsolation }, async (t) => {
  const { data } = await python(
    t,
    `import os
for path in ['/proc/sys/kernel/hostname', '/proc/sys/vm/swappiness', '/proc/sysrq-trigger', '/proc/self/oom_score_adj', '/planted']:
    try:
        open(path, 'w').write('0')
        print(path)
    except OSError: pass
print(os.listdir('/proc/sys'))`,
  );
  assert.deepEqual([data.stdout, data.stderr], ['[]\n', '']);
});

test(
  'nothing but its own directory can be written to, in mounts below the system too',
  { skip: needsIsolation },
  async (t) => {
    const { data } = await python(
      t,
      `top = {}
for line in open('/proc/self/mountinfo'):
    words = line.split()
    top[words[4]] = words[5].split(',')[0]
print(sorted(path for path, access in top.items() if access == 'rw' and not path.startswith(('/dev/', '/proc/'))))`,
    );
    assert.equal(data.stdout, "['/sandbox/work']\n");
  },
);

test('a snippet makes no user namespace of its own', { skip: needsIsolation }, async (t) => {
  const { data } = await python(
    t,
    `import subprocess\nprint(subprocess.run(['unshare', '--user', 'true'], capture_output=True).returncode)`,
  );
  assert.equal(data.stdout, '1\n');
});

test(
  'a snippet that lets go of its parent ends with its time and with its call',
  { skip: needsIsolation },
  async (t) => {
    const marker = `code-runner-clinging-${process.pid}`;
    await assert.rejects(python(t, clinging(marker), { timeoutMs: 2_000 }), withCode('CODE.TIME_LIMIT'));
    await until(() => commandsWith(marker).length === 0);
    const controller = new AbortController();
    const running = python(t, clinging(marker), {}, { signal: controller.signal });
    await until(() => commandsWith(marker).length > 0);
    controller.abort();
    await running;
    await until(() => commandsWith(marker).length === 0);
  },
);

test('a snippet ends with a worker that is killed', { skip: needsIsolation }, async () => {
  const marker = `code-runner-orphaned-${process.pid}`;
  const program = `import { runSnippet } from ${JSON.stringify(new URL('../run-snippet.mjs', import.meta.url).href)};
const call = { deadline: new Date(Date.now() + 120_000), resourceDir: '/tmp', signal: new AbortController().signal };
await runSnippet('RunPython', { code: process.env.SNIPPET, timeoutMs: 60_000 }, call, { requireIsolation: true });`;
  const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, SNIPPET: clinging(marker) },
    stdio: 'ignore',
  });
  const gone = once(worker, 'exit');
  await until(() => commandsWith(marker).length > 0);
  worker.kill('SIGKILL');
  await gone;
  await until(() => commandsWith(marker).length === 0);
});

test('a sandbox that cannot be set up says at which step, and is no run', { skip: needsIsolation }, async (t) => {
  const { isolate } = await findIsolation();
  const root = mkdtempSync(join(tmpdir(), 'code-runner-root-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const run = (changes) =>
    runBounded({
      ...isolate({
        root,
        code: '/usr',
        work: '/usr',
        shown: [],
        limits: ['--core=0'],
        program: '/usr/bin/env',
        command: ['true'],
        ...changes,
      }),
      cwd: root,
      stdin: '',
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      isIsolated: true,
    });
  assert.deepEqual((await run({ work: '/no/such' })).setUp, {
    isReady: false,
    step: 'mounting code, work and devices',
    signal: null,
  });
  assert.deepEqual((await run({ program: '/no/such' })).setUp, {
    isReady: false,
    step: 'starting the interpreter under its limits',
    signal: null,
  });
});

test(
  'a signal is told from an exit code of the same number, and no exit code from a limit',
  { skip: needsIsolation },
  async (t) => {
    const died = await python(t, 'import os\nos.kill(os.getpid(), 11)');
    assert.deepEqual([died.data.exitCode, died.data.signal, died.data.stderr], [null, 'SIGSEGV', '']);
    for (const code of [137, 152]) {
      const { data } = await python(t, `raise SystemExit(${code})`);
      assert.deepEqual([data.exitCode, data.signal], [code, null]);
    }
    const { data } = await javascript(t, "console.error('JavaScript heap out of memory'); process.exit(1);");
    assert.equal(data.exitCode, 1);
  },
);

test('trees and names beyond what can be listed leave the result as it is', { skip: needsIsolation }, async (t) => {
  const { data, warnings } = await python(
    t,
    `import os
open('kept.txt', 'w').write('kept')
open(b'\\xff\\xfe', 'w').write('x')
for _ in range(3000):
    os.mkdir('d' * 50)
    os.chdir('d' * 50)
print('made')`,
  );
  assert.equal(data.stdout, 'made\n');
  assert.deepEqual(
    data.files.map(({ name }) => name),
    ['kept.txt'],
  );
  assert.ok(warnings.some(({ code }) => code === 'FILES_NOT_LISTED'));
});

test('what killed runs left is removed, and what may still be in use is not', async (t) => {
  const temporary = mkdtempSync(join(tmpdir(), 'code-runner-sweep-'));
  t.after(() => rmSync(temporary, { recursive: true, force: true }));
  for (const name of ['vcp-code-old', 'vcp-code-new', 'others']) mkdirSync(join(temporary, name));
  mkdirSync(join(temporary, 'vcp-code-old', 'work', 'locked', 'inner'), { recursive: true });
  chmodSync(join(temporary, 'vcp-code-old', 'work', 'locked'), 0);
  for (const name of ['vcp-code-old', 'others']) utimesSync(join(temporary, name), 1_000, 1_000);
  await sweepOld(temporary);
  assert.deepEqual(
    ['vcp-code-old', 'vcp-code-new', 'others'].map((name) => existsSync(join(temporary, name))),
    [false, true, true],
  );
});

test('an interpreter that was missing is looked for again', async (t) => {
  const program = `import { runSnippet } from ${JSON.stringify(new URL('../run-snippet.mjs', import.meta.url).href)};
const call = { deadline: new Date(Date.now() + 120_000), resourceDir: '/tmp', signal: new AbortController().signal };
const run = () => runSnippet('RunPython', { code: 'print(1)' }, call, { requireIsolation: false });
const { PATH } = process.env;
process.env.PATH = '/no/such';
console.log(await run().catch((error) => error.code));
process.env.PATH = PATH;
console.log((await run()).data.stdout.trim());`;
  const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => worker.kill('SIGKILL'));
  let text = '';
  worker.stdout.on('data', (chunk) => (text += chunk));
  await once(worker, 'close');
  assert.equal(text, 'CODE.NO_INTERPRETER\n1\n');
});
