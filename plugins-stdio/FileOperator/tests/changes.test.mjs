import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRoot } from '../../lib/open-folder.mjs';
import { copyTree } from '../copy-tree.mjs';
import { removeCopied } from '../remove-copied.mjs';
import { callProcess, outcome, workspace } from './support/workspace.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

test('loses none of many appends, from several processes and from one', async (t) => {
  const { run, bytes, dataDirectory } = workspace(t);
  const fromHere = Array.from({ length: 40 }, (_, index) =>
    run('Append', { path: 'log.txt', content: `here ${index}` }),
  );
  const fromProcesses = Array.from({ length: 8 }, (_, index) =>
    callProcess(dataDirectory, { command: 'Append', path: 'log.txt', content: `process ${index}` }),
  );
  await Promise.all([...fromHere, ...fromProcesses]);
  const expected = [
    ...Array.from({ length: 40 }, (_, index) => `here ${index}`),
    ...Array.from({ length: 8 }, (_, index) => `process ${index}`),
  ];
  const lines = bytes('log.txt').toString().split('\n');
  assert.equal(lines.pop(), '');
  assert.deepEqual(lines.toSorted(), expected.toSorted());
});

test('lets one of many writers with the same expectation win', async (t) => {
  const { run, put, bytes } = workspace(t);
  put('a.txt', 'start');
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      outcome(run('Write', { path: 'a.txt', content: `writer ${index}`, expectedSha256: sha256('start') })),
    ),
  );
  assert.equal(outcomes.filter((value) => value === 'success').length, 1);
  assert.equal(outcomes.filter((value) => value === 'FILES.CONFLICT').length, 11);
  assert.equal(bytes('a.txt').toString(), `writer ${outcomes.indexOf('success')}`);
});

test('lets one of many makers of a new file win', async (t) => {
  const { run } = workspace(t);
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () => outcome(run('Write', { path: 'a/b/new.txt', content: 'x', mode: 'createOnly' }))),
  );
  assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 11 }, () => 'FILES.EXISTS'), 'success']);
});

for (const [command, args] of Object.entries({
  Write: { content: 'x'.repeat(2_000_000) },
  Append: { content: 'x'.repeat(2_000_000) },
  ApplyDiff: { edits: [{ search: 'old', replace: 'x'.repeat(900_000) }] },
  Copy: {},
})) {
  test(
    `${command} leaves everything as it was when no more can be written`,
    { skip: process.platform === 'win32' ? 'ulimit' : false },
    async (t) => {
      const { put, bytes, dataDirectory, root } = workspace(t);
      put('a.txt', 'old\n');
      const isCopy = command === 'Copy';
      if (isCopy) put('big.txt', 'x'.repeat(2_000_000));
      const before = readdirSync(root).toSorted();
      const named = isCopy ? { from: 'big.txt', to: 'copy.txt' } : { path: 'a.txt' };
      // In units of 512 bytes, or 1 KiB, as the shell has it.
      const payload = await callProcess(
        dataDirectory,
        { command, ...named, ...args },
        { shellPrefix: 'ulimit -f 400' },
      );
      assert.equal(payload.error?.code, 'FILES.DISK_FULL', JSON.stringify(payload));
      assert.equal(bytes('a.txt').toString(), 'old\n');
      assert.deepEqual(readdirSync(root).toSorted(), before);
    },
  );
}

test(
  'keeps the permissions of a file that it replaces',
  { skip: process.platform === 'win32' ? 'modes' : false },
  async (t) => {
    const { run, put, at } = workspace(t);
    put('run.sh', 'echo old\n');
    chmodSync(at('run.sh'), 0o750);
    await run('Write', { path: 'run.sh', content: 'echo new\n' });
    assert.equal(statSync(at('run.sh')).mode & 0o777, 0o750);
    await run('Copy', { from: 'run.sh', to: 'copy.sh' });
    assert.equal(statSync(at('copy.sh')).mode & 0o777, 0o750);
  },
);

test('takes away what a killed writer left, and shows it to nobody', async (t) => {
  const { run, put, at } = workspace(t);
  const [old, young] = ['.vcp-m1abcd-0123456789ab.tmp', '.vcp-m2abcd-0123456789ab.tmp'];
  put(old, 'left');
  put(young, 'being written');
  utimesSync(at(old), new Date(0), new Date(0));
  assert.equal((await run('List', { hidden: true })).data.total, 0);
  assert.equal((await run('Search', { query: 'left', hidden: true })).data.searchedFiles, 0);
  await run('Write', { path: 'a.txt', content: 'x' });
  assert.deepEqual([existsSync(at(old)), existsSync(at(young))], [false, true]);
});

test('moves between roots, folders too, and overwrites nothing', async (t) => {
  const other = workspace(t);
  const { run, put, at } = workspace(t, { roots: [{ name: 'other', path: other.root, readOnly: false }] });
  put('folder/a.txt', 'a');
  await run('Move', { from: 'folder', toRoot: 'other', to: 'x/folder' });
  assert.equal(other.bytes('x/folder/a.txt').toString(), 'a');
  assert.equal(existsSync(at('folder')), false);
  put('a.txt', 'mine');
  assert.equal(await outcome(run('Move', { from: 'a.txt', toRoot: 'other', to: 'x/folder/a.txt' })), 'FILES.EXISTS');
  assert.equal(
    await outcome(run('Move', { from: 'a.txt', toRoot: 'other', to: 'x/folder', overwrite: true })),
    'FILES.EXISTS',
  );
  assert.equal(other.bytes('x/folder/a.txt').toString(), 'a');
});

test(
  'moves to another device whole, links too',
  { skip: existsSync('/dev/shm') ? false : 'no second device' },
  async (t) => {
    const elsewhere = join('/dev/shm', `file-operator-${process.pid}`);
    mkdirSync(elsewhere);
    t.after(async () => (await import('node:fs/promises')).rm(elsewhere, { recursive: true, force: true }));
    const { run, put, at, root } = workspace(t, { roots: [{ name: 'other', path: elsewhere, readOnly: false }] });
    if (statSync(elsewhere).dev === statSync(root).dev) return t.skip('one device');
    put('folder/deep/a.txt', 'a');
    put('single.txt', 's');
    await run('Move', { from: 'folder', toRoot: 'other', to: 'folder' });
    await run('Move', { from: 'single.txt', toRoot: 'other', to: 'single.txt' });
    assert.equal(readFileSync(join(elsewhere, 'folder/deep/a.txt'), 'utf8'), 'a');
    assert.equal(readFileSync(join(elsewhere, 'single.txt'), 'utf8'), 's');
    assert.deepEqual([existsSync(at('folder')), existsSync(at('single.txt'))], [false, false]);
    return undefined;
  },
);

/** A signal that does something the nth time it is looked at. */
function signalThat(nth, action) {
  const controller = new AbortController();
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks === nth) action(controller);
    controller.signal.throwIfAborted();
  };
  return { throwIfAborted: look };
}

test('a copy that is cancelled takes away nothing but itself', async (t) => {
  const { run, put, bytes, root } = workspace(t);
  for (const name of ['a', 'b', 'c']) put(`folder/${name}.txt`, name);
  const signal = signalThat(4, (controller) => {
    put('copy/theirs.txt', 'written by another call');
    controller.abort();
  });
  await assert.rejects(run('Copy', { from: 'folder', to: 'copy' }, { signal }), { name: 'AbortError' });
  assert.equal(bytes('copy/theirs.txt').toString(), 'written by another call');
  assert.deepEqual(readdirSync(root).toSorted(), ['copy', 'folder']);
});

test('a copy is not seen before it is whole, and replaces nothing that came meanwhile', async (t) => {
  const { run, put, at, bytes, root } = workspace(t);
  for (const name of ['a', 'b', 'c']) put(`folder/${name}.txt`, name);
  const signal = signalThat(4, () => {
    assert.equal(existsSync(at('copy')), false);
    put('copy', 'a file of that name');
  });
  assert.equal(await outcome(run('Copy', { from: 'folder', to: 'copy' }, { signal })), 'FILES.EXISTS');
  assert.equal(bytes('copy').toString(), 'a file of that name');
  assert.deepEqual(readdirSync(root).toSorted(), ['copy', 'folder']);
});

test('takes away a folder that a killed copy left', async (t) => {
  const { run, put, at } = workspace(t);
  put('.vcp-m1abcd-0123456789ab.tmp/deep/a.txt', 'left');
  utimesSync(at('.vcp-m1abcd-0123456789ab.tmp'), new Date(0), new Date(0));
  await run('Write', { path: 'a.txt', content: 'x' });
  assert.equal(existsSync(at('.vcp-m1abcd-0123456789ab.tmp')), false);
});

test('removes of a moved folder only what was copied as it is', async (t) => {
  const { put, at, bytes, root } = workspace(t);
  for (const name of ['same', 'changed', 'gone']) put(`folder/${name}.txt`, name);
  put('folder/deep/same.txt', 'same');
  put('folder/filled/same.txt', 'same');
  const folder = await openRoot(root);
  t.after(() => folder.close());
  const tally = { files: 0, folders: 0, links: 0, bytes: 0, skipped: [] };
  const options = { tally, signal: new AbortController().signal, until: Number.POSITIVE_INFINITY };
  const copied = await copyTree({ folder, name: 'folder' }, { folder, name: 'copy' }, options);
  put('folder/changed.txt', 'written after it was copied');
  put('folder/filled/new.txt', 'new');
  const kept = await removeCopied(folder, copied);
  assert.deepEqual(kept.toSorted(), ['folder/changed.txt', 'folder/filled']);
  assert.equal(bytes('folder/changed.txt').toString(), 'written after it was copied');
  assert.equal(bytes('folder/filled/new.txt').toString(), 'new');
  assert.deepEqual(readdirSync(at('folder')).toSorted(), ['changed.txt', 'filled']);
});

test(
  'moves nothing to another device when it changes meanwhile',
  { skip: existsSync('/dev/shm') ? false : 'no second device' },
  async (t) => {
    const elsewhere = join('/dev/shm', `file-operator-changed-${process.pid}`);
    mkdirSync(elsewhere);
    t.after(async () => (await import('node:fs/promises')).rm(elsewhere, { recursive: true, force: true }));
    const { run, put, bytes, root } = workspace(t, { roots: [{ name: 'other', path: elsewhere, readOnly: false }] });
    if (statSync(elsewhere).dev === statSync(root).dev) return t.skip('one device');
    for (const name of ['a', 'b', 'c']) put(`folder/${name}.txt`, name);
    const signal = signalThat(6, () => ['a', 'b', 'c'].forEach((name) => put(`folder/${name}.txt`, `new ${name}`)));
    const moved = run('Move', { from: 'folder', toRoot: 'other', to: 'folder' }, { signal });
    assert.equal(await outcome(moved), 'FILES.CHANGED_MEANWHILE');
    assert.equal(bytes('folder/a.txt').toString(), 'new a');
    assert.deepEqual(readdirSync(elsewhere), []);
    return undefined;
  },
);

test(
  'new bytes never run as somebody else, and a file stays with its owner',
  { skip: process.platform === 'win32' || process.getuid?.() !== 0 ? 'needs root' : false },
  async (t) => {
    const { run, put, at } = workspace(t);
    put('tool', 'old');
    chownSync(at('tool'), 12_345, 12_345);
    chmodSync(at('tool'), 0o6755);
    await run('Copy', { from: 'tool', to: 'copy' });
    await run('Write', { path: 'tool', content: 'new' });
    assert.deepEqual([statSync(at('tool')).mode & 0o7777, statSync(at('tool')).uid], [0o755, 12_345]);
    assert.deepEqual([statSync(at('copy')).mode & 0o7777, statSync(at('copy')).uid], [0o755, 0]);
  },
);

test('stops a search at its time and says what it left out', async (t) => {
  const { run, put } = workspace(t);
  for (let index = 0; index < 50; index += 1) put(`${index}.txt`, 'x\n');
  // A second of a call's time is kept for its answer, so nothing is left for the search.
  const { status, warnings } = await run('Search', { query: 'x' }, { milliseconds: 900 });
  assert.equal(status, 'partial');
  assert.equal(warnings[0].code, 'FILES.SEARCH_INCOMPLETE');
});

test('passes over what is no text or too large, and counts it', async (t) => {
  const { run, put, at } = workspace(t);
  put('a.txt', 'needle\n');
  put('b.bin', Buffer.from([0, 1, 2, 3]));
  writeFileSync(at('c.txt'), Buffer.alloc(16 * 1024 * 1024 + 1, 'x'));
  const { data, warnings } = await run('Search', { query: 'needle', caseSensitive: false });
  assert.deepEqual([data.searchedFiles, data.skipped], [1, { binary: 1, tooLarge: 1, unreadable: 0 }]);
  assert.equal(warnings[0].code, 'FILES.SKIPPED');
});

test('gives an image as a resource of its very bytes', async (t) => {
  const { directory, put, dataDirectory } = workspace(t);
  const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  put('图.png', bytes);
  const resourceDir = join(directory, 'resources');
  mkdirSync(resourceDir);
  const payload = await callProcess(dataDirectory, { command: 'Read', path: '图.png' }, { resourceDir });
  assert.equal(payload.status, 'success');
  assert.deepEqual(payload.data.resource, { $resource: 'file' });
  assert.equal(payload.resources[0].fileName, '图.png');
  assert.deepEqual(readFileSync(join(resourceDir, payload.resources[0].localPath)), bytes);
});

/** @type {[string, string[]][]} */
const globs = [
  ['*.md', ['a.md', 'notes/b.md', 'notes/deep/c.md']],
  ['notes/*.md', ['notes/b.md']],
  ['notes/**/*.md', ['notes/b.md', 'notes/deep/c.md']],
  ['**/deep/*', ['notes/deep/c.md']],
  ['{a,b}.md', ['a.md', 'notes/b.md']],
  ['[ab].md', ['a.md', 'notes/b.md']],
  ['[!a].md', ['notes/b.md', 'notes/deep/c.md']],
  ['?.txt', ['d.txt']],
  ['(a+)+.md', []],
];
for (const [glob, expected] of globs) {
  test(`lists what fits ${glob}`, async (t) => {
    const { run, put } = workspace(t);
    for (const path of ['a.md', 'd.txt', 'notes/b.md', 'notes/deep/c.md']) put(path, '');
    const { data } = await run('List', { depth: 9, glob, kind: 'file' });
    assert.deepEqual(
      data.entries.map(({ path }) => path),
      expected,
    );
  });
}

test('changes nothing when it cannot lock, and says whose fault that is', async (t) => {
  const { run, put, bytes, dataDirectory } = workspace(t);
  put('a.txt', 'old');
  // Folders in the places of all the lock files there can be.
  for (let number = 0; number < 256; number += 1) {
    mkdirSync(join(dataDirectory, 'locks', `${number.toString(16).padStart(2, '0')}.lock`), { recursive: true });
  }
  const error = await run('Write', { path: 'a.txt', content: 'new' }).catch((thrown) => thrown);
  assert.equal(error.code, 'FILES.UNAVAILABLE');
  assert.ok(!error.message.includes(dataDirectory), error.message);
  assert.equal(bytes('a.txt').toString(), 'old');
});
