import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteSlug } from '../note-slug.mjs';
import { notes } from './support/notes.mjs';

test('changes what is asked in a hand-written front matter and leaves the rest, comments too', async (t) => {
  const { put, run, text } = await notes(t);
  put('a.md', '---\n# mine\ntitle: Old   # a comment\nrating: 5\ntags:\n  - x\n---\nBody\n');
  await run('UpdateNote', { path: 'a.md', title: 'New' });
  assert.equal(text('a.md'), '---\n# mine\ntitle: New # a comment\nrating: 5\ntags:\n  - x\n---\nBody\n');
  await run('UpdateNote', { path: 'a.md', body: 'Other' });
  assert.equal(text('a.md'), '---\n# mine\ntitle: New # a comment\nrating: 5\ntags:\n  - x\n---\nOther\n');
});

test('keeps line ends and the byte order mark of a note', async (t) => {
  const { put, run, text } = await notes(t);
  put('a.md', '\ufeff---\r\ntitle: A\r\n---\r\n\r\nBody');
  await run('UpdateNote', { path: 'a.md', appendBody: 'one\ntwo' });
  assert.equal(text('a.md'), '\ufeff---\r\ntitle: A\r\n---\r\n\r\nBody\r\none\r\ntwo\r\n');
  await run('UpdateNote', { path: 'a.md', tags: ['t'], body: 'new' });
  assert.equal(text('a.md'), '\ufeff---\r\ntitle: A\r\ntags: [ t ]\r\n---\r\n\r\nnew\r\n');
});

test('gives a note without front matter one only when it is needed', async (t) => {
  const { put, run, text } = await notes(t);
  put('a.md', '# Heading\ntext\n');
  await run('UpdateNote', { path: 'a.md', body: '# Other\n' });
  assert.equal(text('a.md'), '# Other\n');
  await run('UpdateNote', { path: 'a.md', tags: ['x'] });
  assert.equal(text('a.md'), '---\ntags: [ x ]\n---\n\n# Other\n');
});

for (const [name, yaml, fault] of [
  ['is no YAML', 'title: [unclosed', /./],
  ['is a list', '- a\n- b', /no list/],
  ['names a key twice', 'title: a\ntitle: b', /unique/i],
  [
    'grows without bound',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replaceAll(/./g, (letter) => `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${String.fromCodePoint(letter.codePointAt(0) - 1)}`).join(',')}]\n`)}`,
    /alias/i,
  ],
]) {
  test(`reads a note whose front matter ${name}, says so, and does not change it`, async (t) => {
    const { put, run, text } = await notes(t);
    const content = `---\n${yaml}\n---\nThe body\n`;
    put('a.md', content);
    const { data, warnings } = await run('GetNote', { path: 'a.md' });
    assert.deepEqual([data.note.body, data.note.title, data.note.startLine > 2], ['The body\n', 'a', true]);
    assert.equal(warnings[0].code, 'KNOWLEDGE.FRONT_MATTER_FAULTY');
    assert.match(warnings[0].message, fault);
    const error = await run('UpdateNote', { path: 'a.md', title: 'x' }).catch((thrown) => thrown);
    assert.equal(error.code, 'KNOWLEDGE.FRONT_MATTER_FAULTY');
    assert.equal(text('a.md'), content);
  });
}

test('gives only what JSON can carry of a front matter', async (t) => {
  const { put, run } = await notes(t);
  put('a.md', '---\nn: .nan\nd: 2026-07-12\n__proto__: {x: 1}\n1: one\nnested: {a: [1, null]}\n---\n');
  const { data } = await run('GetNote', { path: 'a.md' });
  assert.deepEqual(data.note.frontMatter, { 1: 'one', n: null, d: '2026-07-12', nested: { a: [1, null] } });
});

test('takes a rule between lines for text, and a title from heading or name', async (t) => {
  const { put, run } = await notes(t);
  put('a.md', 'text\n---\nmore\n');
  put('b.md', '---\nnever closed\n');
  put('c.md', '```\n# no heading\n```\n## Real *heading* ##\n');
  const titleOf = async (path) => (await run('GetNote', { path })).data.note.title;
  assert.deepEqual([await titleOf('a.md'), await titleOf('b.md'), await titleOf('c.md')], ['a', 'b', 'Real *heading*']);
});

test('reads a note in another encoding, and does not change it', async (t) => {
  const { put, run, find } = await notes(t);
  put('a.md', Buffer.from('\ufeff知识', 'utf16le'));
  assert.deepEqual(await find('知识'), ['a.md']);
  const error = await run('UpdateNote', { path: 'a.md', body: 'x' }).catch((thrown) => thrown);
  assert.equal(error.code, 'KNOWLEDGE.NOT_UTF8');
});

test('gives a long note in parts that join without a seam', async (t) => {
  const { put, run } = await notes(t);
  const body = Array.from({ length: 60_000 }, (_, index) => `line ${index} 知识\n`).join('');
  put('a.md', `---\ntitle: Long\n---\n${body}`);
  let joined = '';
  for (let next; next !== null;) {
    const { data } = await run('GetNote', { path: 'a.md', ...(next !== undefined && { startLine: next }) });
    joined += data.note.body;
    next = data.note.nextLine;
  }
  assert.equal(joined, body);
});

/** @type {[string, string][]} */
const slugs = [
  ['Project budget', 'Project-budget'],
  ['会議: メモ/2026?', '会議-メモ-2026'],
  ['../../etc/passwd', 'etc-passwd'],
  ['  ...  ', 'note'],
  ['🎉', 'note'],
  ['CON', 'note-CON'],
  ['ｆｕｌｌ　ｗｉｄｔｈ', 'full-width'],
  ['知'.repeat(300), '知'.repeat(66)],
];
for (const [title, slug] of slugs) {
  test(`makes of the title ${JSON.stringify(title).slice(0, 40)} a name for every system`, () => {
    assert.equal(noteSlug(title), slug);
  });
}
