import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { parseQuery, toMatchExpression } from '../parse-query.mjs';
import { notes } from './support/notes.mjs';

const LIBRARY = {
  'zh.md': '# 知识库检索\n\n全文检索必须能命中两个字的查询。向量数据库另行说明。',
  'ja.md': '# 会議のメモ\n\n会議は明日の午前十時です。ﾃﾞｰﾀﾍﾞｰｽの検索について。',
  'ko.md': '# 회의록\n\n데이터베이스를 검색합니다.',
  'en.md': '# Running notes\n\nThe foxes were running; café, naïve and node.js 3.14. snake_case too.',
  'mixed.md': '# 第2章 SQLite 检索\n\n使用SQLite的FTS5模块，ＡＢＣ全角。',
};

/** @type {[string, string[]][]} */
const queries = [
  ['知识', ['zh.md']],
  ['检索', ['mixed.md', 'zh.md']],
  ['库', ['zh.md']],
  ['询', ['zh.md']],
  ['全文检索', ['zh.md']],
  ['"检索命中"', []],
  ['检索命中', ['zh.md']],
  ['向量 数据库', ['zh.md']],
  ['数据库 -向量', []],
  ['検索', ['ja.md']],
  ['データベース', ['ja.md']],
  ['午前十時', ['ja.md']],
  ['데이터베이스', ['ko.md']],
  ['검색', ['ko.md']],
  ['fox run', ['en.md']],
  ['ran', []],
  ['CAFE NAIVE', ['en.md']],
  ['node.js', ['en.md']],
  ['"js node"', []],
  ['3.14', ['en.md']],
  ['case', ['en.md']],
  ['fo*', ['en.md']],
  ['sqlite', ['mixed.md']],
  ['SQLite检索', ['mixed.md']],
  ['第2章', ['mixed.md']],
  ['abc', ['mixed.md']],
  ['“running notes”', ['en.md']],
  ['「会議のメモ」', ['ja.md']],
];
test('finds words of every script, in any form', async (t) => {
  const { put, find } = await notes(t);
  for (const [path, text] of Object.entries(LIBRARY)) put(path, text);
  for (const [query, expected] of queries) assert.deepEqual(await find(query), expected, query);
});

test('shows the place, in characters and not in UTF-16 units', async (t) => {
  const { put, run } = await notes(t);
  put('a.md', `${'填充文字。'.repeat(200)}\n\n😀 这里讲知识图谱，与知识有关。\n\n${'后文。'.repeat(200)}`);
  const { data } = await run('Search', { query: '知识图谱 关系*', match: 'any' });
  const [{ snippet }] = data.hits;
  const characters = Array.from(snippet.text);
  const marked = snippet.highlights.map(({ start, length }) => characters.slice(start, start + length).join(''));
  assert.ok(marked.includes('知识图谱'), JSON.stringify(snippet));
  assert.ok(snippet.text.includes('😀'));
  assert.ok(characters.length < 300);
});

test('puts a note first whose title says it', async (t) => {
  const { put, run } = await notes(t);
  put('body.md', `# Other\n\nbudget ${'filler words here '.repeat(5)}`);
  put('title.md', `# Budget\n\n${'filler words here '.repeat(5)}`);
  const { data } = await run('Search', { query: 'budget' });
  assert.deepEqual(
    data.hits.map(({ path }) => path),
    ['title.md', 'body.md'],
  );
  assert.equal(data.hits[0].score, 1);
  assert.ok(data.hits[1].score < 1);
  assert.deepEqual(data.hits[0].titleHighlights, [{ start: 0, length: 6 }]);
});

test('no text that anybody types is a syntax error', () => {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE terms USING fts5 (title, body, content='', tokenize='ascii')");
  const search = database.prepare('SELECT rowid FROM terms WHERE terms MATCH ?');
  const pieces = [
    'AND',
    'OR',
    'NOT',
    'NEAR(',
    ')',
    '(',
    '"',
    '“',
    '-',
    '*',
    ':',
    '^',
    '+',
    '{',
    '}',
    "'",
    '\\',
    'title:',
    'a',
    '知',
    '知识',
    '1',
    '😀',
    '\u0000',
    '\ud83d',
    ' ',
    '\u3000',
    '\u0301',
    'ﾞ',
    'ก',
    'ʼ',
  ];
  let state = 42;
  const next = (limit) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % limit;
  let searched = 0;
  for (let round = 0; round < 5_000; round += 1) {
    const query = Array.from({ length: 1 + next(10) }, () => pieces[next(pieces.length)]).join('');
    const parsed = parseQuery(query);
    if (parsed.wanted.length === 0) continue;
    searched += 1;
    for (const matchAll of [true, false])
      assert.doesNotThrow(() => search.all(toMatchExpression(parsed, { matchAll })), JSON.stringify(query));
  }
  assert.ok(searched > 1_000);
});

test('filters by tag, folder and time, and gives pages', async (t) => {
  const { put, run, find } = await notes(t);
  put('a/one.md', '---\ntags: [Red, "#blue"]\n---\nword');
  put('a/b/two.md', '---\ntags: red, green\n---\nword');
  put('ab/three.md', 'word');
  assert.deepEqual(await find('word', { tags: ['red'] }), ['a/b/two.md', 'a/one.md']);
  assert.deepEqual(await find('word', { tags: ['RED', '#Blue'] }), ['a/one.md']);
  assert.deepEqual(await find('word', { folder: 'a' }), ['a/b/two.md', 'a/one.md']);
  assert.deepEqual(await find('word', { updatedFrom: '2200-01-01' }), []);
  assert.deepEqual(
    (await find('word', { updatedFrom: '2020-01-01', updatedUntil: '2200-01-01T00:00:00+08:00' })).length,
    3,
  );
  const first = await run('Search', { query: 'word', limit: 2 });
  assert.deepEqual([first.data.total, first.data.nextOffset], [3, 2]);
  const second = await run('Search', { query: 'word', limit: 2, offset: 2 });
  assert.deepEqual([second.data.hits.length, second.data.nextOffset], [1, null]);
});
