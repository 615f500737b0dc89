import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRoots } from '../roots.mjs';
import { callProcess, outcome, workspace } from './support/workspace.mjs';

const swapper = join(import.meta.dirname, '../../../test/fixtures/swap-files.mjs');
const isLinux = process.platform === 'linux';

/** @type {[string, string][]} */
const refusedPaths = [
  ['../secret.txt', 'FILES.OUTSIDE_ROOT'],
  ['a/../../secret.txt', 'FILES.OUTSIDE_ROOT'],
  ['..', 'FILES.OUTSIDE_ROOT'],
  ['/etc/hostname', 'FILES.PATH_REFUSED'],
  ['//etc/hostname', 'FILES.PATH_REFUSED'],
  ['~/secret.txt', 'FILES.PATH_REFUSED'],
  ['C:\\secret.txt', 'FILES.PATH_REFUSED'],
  ['c:secret.txt', 'FILES.PATH_REFUSED'],
  ['..\\secret.txt', 'FILES.PATH_REFUSED'],
  ['a\0b', 'FILES.PATH_REFUSED'],
  ['a\nb', 'FILES.PATH_REFUSED'],
  ['%2e%2e/secret.txt', 'FILES.PATH_REFUSED'],
  ['.%2E/secret.txt', 'FILES.PATH_REFUSED'],
  ['..%2fsecret.txt', 'FILES.PATH_REFUSED'],
  ['..%5csecret.txt', 'FILES.PATH_REFUSED'],
  ['a%00', 'FILES.PATH_REFUSED'],
  ['half \ud83d', 'FILES.PATH_REFUSED'],
  [`${'a/'.repeat(65)}b`, 'FILES.PATH_REFUSED'],
  ['a'.repeat(2_049), 'FILES.PATH_REFUSED'],
  ['.vcp-abc-0123456789ab.tmp', 'FILES.PATH_REFUSED'],
];
for (const [path, code] of refusedPaths) {
  test(`refuses ${JSON.stringify(path).slice(0, 60)} in every command`, async (t) => {
    const { run, directory, put } = workspace(t);
    writeFileSync(join(directory, 'data', 'secret.txt'), 'secret');
    put('real.txt', 'x');
    for (const [command, args] of [
      ['Read', { path }],
      ['Stat', { path }],
      ['List', { path }],
      ['Search', { path, query: 'x' }],
      ['Write', { path, content: 'x' }],
      ['Append', { path, content: 'x' }],
      ['MakeDirectory', { path }],
      ['Delete', { path }],
      ['ApplyDiff', { path, edits: [{ search: 'a', replace: 'b' }] }],
      ['Move', { from: 'real.txt', to: path }],
      ['Move', { from: path, to: 'x.txt' }],
      ['Copy', { from: 'real.txt', to: path }],
      ['Copy', { from: path, to: 'x.txt' }],
    ]) {
      assert.equal(await outcome(run(command, args)), code, command);
    }
    assert.equal(readFileSync(join(directory, 'data', 'secret.txt'), 'utf8'), 'secret');
    assert.deepEqual(readdirSync(join(directory, 'data', 'files')), ['real.txt']);
  });
}

test('no error says where the root is', async (t) => {
  const { run, directory, at } = workspace(t);
  symlinkSync('/etc', at('out'));
  for (const path of ['out/passwd', '../x', '/etc/passwd', 'nothing', 'a/b/c']) {
    const error = await run('Read', { path }).catch((thrown) => thrown);
    assert.ok(!JSON.stringify([error.message, error.details]).includes(directory), error.message);
  }
});

test('follows links below the root, and none that lead out of it', async (t) => {
  const { run, at, put, directory } = workspace(t);
  writeFileSync(join(directory, 'data', 'secret.txt'), 'secret');
  put('a/b/c.txt', 'inside');
  symlinkSync('a/b', at('within'));
  symlinkSync('../c.txt', at('a/b/up.txt'));
  put('a/c.txt', 'one up');
  symlinkSync('../../data/secret.txt', at('out-and-in'));
  symlinkSync('../secret.txt', at('out'));
  symlinkSync('..', at('parent'));
  symlinkSync(at('a'), at('absolute'));
  symlinkSync('loop', at('loop'));
  symlinkSync('../gone.txt', at('dangling-out'));
  symlinkSync('a/made.txt', at('dangling-in'));
  const content = async (path) => (await run('Read', { path })).data.content;
  assert.equal(await content('within/c.txt'), 'inside');
  assert.equal(await content('a/b/up.txt'), 'one up');
  for (const path of ['out', 'out-and-in', 'parent/secret.txt', 'absolute/c.txt', 'loop', 'dangling-out']) {
    assert.equal(await outcome(run('Read', { path })), 'FILES.OUTSIDE_ROOT', path);
    assert.equal(await outcome(run('Write', { path, content: 'x' })), 'FILES.OUTSIDE_ROOT', path);
    assert.equal(await outcome(run('Append', { path, content: 'x' })), 'FILES.OUTSIDE_ROOT', path);
  }
  await run('Write', { path: 'dangling-in', content: 'made' });
  assert.equal(readFileSync(at('a/made.txt'), 'utf8'), 'made');
  assert.equal(existsSync(join(directory, 'data', 'gone.txt')), false);
  assert.equal(readFileSync(join(directory, 'data', 'secret.txt'), 'utf8'), 'secret');
});

test('lists, searches, copies and deletes links themselves, never what they lead to', async (t) => {
  const { run, at, directory, put } = workspace(t);
  mkdirSync(join(directory, 'outside'));
  writeFileSync(join(directory, 'outside', 'secret.txt'), 'secret');
  put('folder/file.txt', 'harmless');
  symlinkSync(join(directory, 'outside'), at('folder/out'));
  const { data } = await run('List', { depth: 10 });
  assert.deepEqual(
    data.entries.map(({ path, kind }) => [path, kind]),
    [
      ['folder', 'folder'],
      ['folder/file.txt', 'file'],
      ['folder/out', 'link'],
    ],
  );
  assert.equal((await run('Stat', { path: 'folder/out' })).data.linkTarget, null);
  assert.equal((await run('Search', { query: 'secret' })).data.matchedLines, 0);
  assert.equal((await run('Copy', { from: 'folder', to: 'copy' })).data.copied.links, 1);
  await run('Delete', { path: 'copy', recursive: true });
  await run('Delete', { path: 'folder', recursive: true });
  assert.deepEqual(readdirSync(join(directory, 'outside')), ['secret.txt']);
});

test('never waits for a pipe, and never opens one or a device', { skip: isLinux ? false : 'mkfifo' }, async (t) => {
  const { run, at } = workspace(t);
  execFileSync('mkfifo', [at('pipe')]);
  for (const [command, args] of [
    ['Read', { path: 'pipe' }],
    ['Read', { path: 'pipe', as: 'resource' }],
    ['Write', { path: 'pipe', content: 'x' }],
    ['Append', { path: 'pipe', content: 'x' }],
    ['Search', { path: 'pipe', query: 'x' }],
    ['Copy', { from: 'pipe', to: 'other' }],
  ]) {
    assert.equal(await outcome(run(command, args)), 'FILES.NOT_A_FILE', command);
  }
  assert.equal((await run('Stat', { path: 'pipe' })).data.kind, 'other');
  assert.equal((await run('Search', { query: 'x' })).data.searchedFiles, 0);
  await run('Delete', { path: 'pipe' });
  assert.equal(existsSync(at('pipe')), false);
});

test('a change leaves the other names of a hard-linked file alone, an appended line does not', async (t) => {
  const { run, at, put } = workspace(t);
  put('a.txt', 'one\n');
  linkSync(at('a.txt'), at('b.txt'));
  assert.equal((await run('Stat', { path: 'a.txt' })).data.names, 2);
  await run('Append', { path: 'a.txt', content: 'two' });
  assert.equal(readFileSync(at('b.txt'), 'utf8'), 'one\ntwo\n');
  await run('Write', { path: 'a.txt', content: 'new\n' });
  assert.equal(readFileSync(at('b.txt'), 'utf8'), 'one\ntwo\n');
});

test(
  'gains nothing to one who swaps folders and files for links meanwhile',
  { skip: isLinux ? false : 'descriptor paths' },
  async (t) => {
    const { run, root, directory } = workspace(t);
    const outside = join(directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const child = spawn(process.execPath, [swapper, root, outside], { stdio: ['ignore', 'pipe', 'ignore'] });
    const closed = new Promise((resolve) => child.on('close', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const seen = new Set();
      for (let round = 0; round < 300; round += 1) {
        for (const path of ['swapped/secret.txt', 'swapped-file']) {
          const read = await run('Read', { path }).catch(({ code }) => code);
          seen.add(typeof read === 'string' ? read : read.data.content);
          await run('Append', { path, content: '', asLines: false }).catch(() => {});
        }
        await run('Write', { path: 'swapped/written.txt', content: 'mine', createParents: false }).catch(() => {});
        await run('MakeDirectory', { path: 'swapped/made' }).catch(() => {});
        await run('Move', { from: 'swapped/written.txt', to: 'swapped/moved.txt', overwrite: true }).catch(() => {});
        await run('Delete', { path: 'swapped/moved.txt' }).catch(() => {});
        const { data } = await run('Search', { query: 'secret' });
        assert.deepEqual(data.matches, []);
      }
      assert.ok(!seen.has('secret'), [...seen].join(' '));
      assert.ok(seen.has('harmless'));
    } finally {
      child.kill('SIGKILL');
      await closed;
    }
    assert.deepEqual(readdirSync(outside), ['secret.txt']);
    assert.equal(readFileSync(join(outside, 'secret.txt'), 'utf8'), 'secret');
  },
);

test('reads, and only reads, a root that is read-only', async (t) => {
  const other = workspace(t);
  const { run, put } = workspace(t, { roots: [{ name: 'docs', path: other.root, readOnly: true }] });
  other.put('a.txt', 'a');
  put('b.txt', 'b');
  assert.equal((await run('Read', { root: 'docs', path: 'a.txt' })).data.content, 'a');
  await run('Copy', { root: 'docs', from: 'a.txt', toRoot: 'files', to: 'a.txt' });
  for (const [command, args] of [
    ['Write', { path: 'a.txt', content: 'x' }],
    ['Append', { path: 'a.txt', content: 'x' }],
    ['Delete', { path: 'a.txt' }],
    ['MakeDirectory', { path: 'a' }],
    ['ApplyDiff', { path: 'a.txt', edits: [{ search: 'a', replace: 'b' }] }],
    ['Move', { from: 'a.txt', toRoot: 'files', to: 'x.txt' }],
  ]) {
    assert.equal(await outcome(run(command, { root: 'docs', ...args })), 'FILES.READ_ONLY', command);
  }
  assert.equal(await outcome(run('Move', { from: 'b.txt', toRoot: 'docs', to: 'b.txt' })), 'FILES.READ_ONLY');
  assert.deepEqual(readdirSync(other.root), ['a.txt']);
});

test('reads the roots of its configuration', () => {
  assert.deepEqual(readRoots('work=/srv/work, 文档=/srv/docs:ro', '/data'), [
    { name: 'work', path: '/srv/work', readOnly: false },
    { name: '文档', path: '/srv/docs', readOnly: true },
  ]);
  assert.deepEqual(readRoots('{"a":"/a","b":{"path":"/b","readOnly":true}}', '/data'), [
    { name: 'a', path: '/a', readOnly: false },
    { name: 'b', path: '/b', readOnly: true },
  ]);
  for (const text of ['work', 'work=relative', 'a=/a,a=/b', 'a b=/a', '{"a"', 'open=/srv,closed=/srv/docs:ro', ',']) {
    assert.throws(() => readRoots(text, '/data'), { code: 'FILES.ROOTS_INVALID' }, text);
  }
});

test('an unusable configuration is an answer, and names no folder of the host', async (t) => {
  const { dataDirectory } = workspace(t);
  const environment = { FILE_OPERATOR_ROOTS: 'work=/nowhere/at/all' };
  const missing = await callProcess(dataDirectory, { command: 'List' }, { environment });
  assert.equal(missing.error.code, 'FILES.ROOT_UNAVAILABLE');
  assert.ok(!JSON.stringify(missing).includes('/nowhere'));
  const faulty = await callProcess(dataDirectory, { command: 'List' }, { environment: { FILE_OPERATOR_ROOTS: 'x' } });
  assert.equal(faulty.error.code, 'FILES.ROOTS_INVALID');
});

test('a read-only root inside a writable one is refused by whatever path it is named', (t) => {
  const { directory, at, put } = workspace(t);
  put('docs/a.txt', 'x');
  symlinkSync(at('docs'), join(directory, 'link'));
  const text = `open=${at('')}, closed=${join(directory, 'link')}:ro`;
  assert.throws(() => readRoots(text, directory), { code: 'FILES.ROOTS_INVALID', message: /lies inside "open"/ });
  const notYet = `open=${join(directory, 'link')}, closed=${at('docs/later')}:ro`;
  assert.throws(() => readRoots(notYet, directory), { code: 'FILES.ROOTS_INVALID', message: /lies inside "open"/ });
  assert.throws(() => readRoots('{"a":"/a\\ud800"}', directory), { code: 'FILES.ROOTS_INVALID', message: /surrogate/ });
});
