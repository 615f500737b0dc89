import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { callPlugin } from '../../lib/tests/support/call-plugin.mjs';
import { notes } from './support/notes.mjs';

const pluginDirectory = join(import.meta.dirname, '..');

const indexFile = ({ indexDirectory }) =>
  join(indexDirectory, JSON.parse(readFileSync(join(indexDirectory, 'current.json'), 'utf8')).file);
const readTimes = (library) => {
  const database = new DatabaseSync(indexFile(library), { readOnly: true });
  try {
    return Object.fromEntries(
      database
        .prepare('SELECT path, read_at FROM notes')
        .all()
        .map((row) => [row.path, row.read_at]),
    );
  } finally {
    database.close();
  }
};
const longAgo = (path) => utimesSync(path, new Date('2020-01-01'), new Date('2020-01-01'));

test('sees what people change by hand, and reads only that', async (t) => {
  const library = await notes(t);
  const { put, find, at } = library;
  for (const name of ['a', 'b', 'c']) {
    put(`${name}.md`, `first ${name}`);
    longAgo(at(`${name}.md`));
  }
  assert.deepEqual(await find('first'), ['a.md', 'b.md', 'c.md']);
  const before = readTimes(library);
  put('b.md', 'second b');
  rmSync(at('c.md'));
  put('d/e.md', 'first e');
  assert.deepEqual(await find('first'), ['a.md', 'd/e.md']);
  assert.deepEqual(await find('second'), ['b.md']);
  const after = readTimes(library);
  assert.equal(after['a.md'], before['a.md']);
  assert.ok(after['b.md'] > before['b.md']);
  assert.deepEqual(Object.keys(after).toSorted(), ['a.md', 'b.md', 'd/e.md']);
});

test('a cancelled call ends between two notes, and the next one goes on from there', async (t) => {
  const library = await notes(t);
  const { put, run, find } = library;
  for (const name of ['a', 'b', 'c', 'd']) put(`${name}.md`, `${name} ${'x\n'.repeat(600_000)}`);
  let isLooking = false;
  const signal = {
    throwIfAborted: () => {
      const isStored = isLooking && Object.keys(readTimes(library)).length > 0;
      isLooking = true;
      if (isStored) throw new Error('cancelled');
    },
  };
  await assert.rejects(run('Search', { query: 'x' }, { signal }), { message: 'cancelled' });
  const before = readTimes(library);
  assert.deepEqual(Object.keys(before), ['a.md']);
  for (const name of ['a', 'b', 'c', 'd']) assert.deepEqual(await find(`${name} x`), [`${name}.md`]);
});

test('sees a change that leaves size and time of change as they were', async (t) => {
  const { put, find, at } = await notes(t);
  put('a.md', 'apple');
  const { atime, mtime } = statSync(at('a.md'));
  assert.deepEqual(await find('apple'), ['a.md']);
  put('a.md', 'grape');
  utimesSync(at('a.md'), atime, mtime);
  assert.deepEqual(await find('grape'), ['a.md']);
});

test('sees a note that was moved, with everything in its folder', async (t) => {
  const { put, find, at } = await notes(t);
  put('old/a.md', 'word');
  assert.deepEqual(await find('word'), ['old/a.md']);
  renameSync(at('old'), at('new'));
  assert.deepEqual(await find('word'), ['new/a.md']);
});

for (const [name, spoil] of Object.entries({
  'that is no database': (path) => writeFileSync(path, 'rubbish'.repeat(2_000)),
  'that is empty': (path) => writeFileSync(path, ''),
  'that is gone': (path) => rmSync(path),
  'whose pages are damaged': (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4_096);
    writeFileSync(path, bytes);
  },
  'of an older layout': (path) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 0; DROP TABLE tags');
    database.close();
  },
})) {
  test(`builds an index anew ${name}`, async (t) => {
    const library = await notes(t);
    for (let index = 0; index < 50; index += 1) library.put(`${index}.md`, `word ${index} ${'filler '.repeat(200)}`);
    assert.equal((await library.run('Search', { query: 'word' })).data.total, 50);
    const path = indexFile(library);
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    spoil(path);
    assert.equal((await library.run('Search', { query: 'word' })).data.total, 50);
    assert.notEqual(indexFile(library), path);
  });
}

test('follows no link, and takes in nothing hidden and nothing but Markdown', async (t) => {
  const { put, find, at, dataDirectory, run } = await notes(t);
  mkdirSync(join(dataDirectory, 'outside'));
  writeFileSync(join(dataDirectory, 'outside', 'secret.md'), 'secret word');
  put('a.md', 'word');
  put('.hidden/b.md', 'word');
  put('c.txt', 'word');
  put('binary.md', Buffer.from([0x77, 0, 1, 2, 0xff]));
  symlinkSync(join(dataDirectory, 'outside'), at('out'));
  symlinkSync(join(dataDirectory, 'outside', 'secret.md'), at('link.md'));
  assert.deepEqual(await find('word'), ['a.md']);
  assert.deepEqual((await run('ListNotes')).data.total, 1);
  for (const path of ['out/secret.md', 'link.md', '../outside/secret.md']) {
    const { code } = await run('GetNote', { path }).catch((error) => error);
    assert.ok(['KNOWLEDGE.PATH_REFUSED', 'KNOWLEDGE.NOT_FOUND'].includes(code), `${path}: ${code}`);
    const changed = await run('UpdateNote', { path, body: 'x' }).catch((error) => error);
    assert.ok(['KNOWLEDGE.PATH_REFUSED', 'KNOWLEDGE.NOT_FOUND'].includes(changed.code), `${path}: ${changed.code}`);
  }
  assert.equal(readFileSync(join(dataDirectory, 'outside', 'secret.md'), 'utf8'), 'secret word');
});

test('says how much is missing when its time is used up, and goes on the next time', async (t) => {
  const { put, run } = await notes(t);
  for (let index = 0; index < 20; index += 1) put(`${index}.md`, 'word');
  // What is kept of a call's time for search and answer is more than this call has.
  const hurried = await run('Search', { query: 'word' }, { milliseconds: 1_500 });
  assert.equal(hurried.status, 'partial');
  assert.deepEqual([hurried.warnings[0].code, hurried.warnings[0].details.pending], ['KNOWLEDGE.INDEX_INCOMPLETE', 20]);
  const patient = await run('Search', { query: 'word' });
  assert.deepEqual([patient.status, patient.data.total], ['success', 20]);
});

test('serves searches and new notes from several processes at once, the first index included', async (t) => {
  const { run, put, dataDirectory } = await notes(t);
  for (let index = 0; index < 30; index += 1) put(`${index}.md`, `common ${index}`);
  const calls = Array.from({ length: 6 }, async (_, index) => [
    await callPlugin(pluginDirectory, dataDirectory, {
      command: 'CreateNote',
      title: 'Same title',
      body: `common from ${index}`,
    }),
    await callPlugin(pluginDirectory, dataDirectory, { command: 'Search', query: 'common' }),
  ]);
  const here = Array.from({ length: 6 }, () => run('Search', { query: 'common' }));
  const [answers] = await Promise.all([Promise.all(calls), Promise.all(here)]);
  const paths = answers.map(([created]) => created.data.note.path);
  assert.equal(new Set(paths).size, 6);
  for (const [created, searched] of answers) {
    assert.equal(created.status, 'success');
    assert.ok(searched.data.total > 30, JSON.stringify(searched).slice(0, 300));
  }
  assert.equal((await run('Search', { query: 'common' })).data.total, 36);
});
