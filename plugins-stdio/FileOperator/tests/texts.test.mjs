import assert from 'node:assert/strict';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { ENCODINGS, byteOrderMarkOf, encode } from '../../lib/text-encodings.mjs';
import { outcome, workspace } from './support/workspace.mjs';

/** A text that each encoding has letters for. */
const SAMPLES = {
  gb18030: '项目会议纪要 😀',
  gbk: '项目会议纪要',
  big5: '專案會議紀要',
  shift_jis: '会議のメモ',
  'euc-jp': '会議のメモ',
  'euc-kr': '회의 메모',
  'windows-1251': 'Заметки',
  'iso-8859-5': 'Заметки',
  'koi8-r': 'Заметки',
  'windows-1253': 'σημείωση',
  'windows-1255': 'הערה',
  'windows-1256': 'ملاحظة',
};
const sampleOf = (encoding) => SAMPLES[encoding] ?? (encoding.startsWith('utf') ? '纪要 é 😀' : 'Notiz');

for (const encoding of ENCODINGS) {
  for (const [name, lineEnd] of Object.entries({ lf: '\n', crlf: '\r\n' })) {
    test(`changes one line of ${encoding} with ${name} and leaves every other byte`, async (t) => {
      const { run, put, bytes } = workspace(t);
      const sample = sampleOf(encoding);
      const mark = byteOrderMarkOf(encoding);
      const file = (...lines) => Buffer.concat([mark, encode(lines.join(lineEnd), encoding)]);
      put('a.txt', file(sample, 'old', sample));
      const options = mark.length > 0 ? {} : { encoding };
      const { data } = await run('Read', { path: 'a.txt', ...options });
      assert.equal(data.content, `${sample}${lineEnd}old${lineEnd}${sample}`);
      assert.deepEqual([data.encoding, data.bom, data.lineEnding], [encoding, mark.length > 0, name]);

      await run('ApplyDiff', {
        path: 'a.txt',
        ...options,
        diff: `@@ -1,3 +1,4 @@\n ${sample}\n-old\n+${sample}\n+new\n ${sample}\n`,
      });
      assert.deepEqual(bytes('a.txt'), file(sample, sample, 'new', sample));
      await run('ApplyDiff', { path: 'a.txt', ...options, edits: [{ search: `new\n${sample}`, replace: 'old' }] });
      assert.deepEqual(bytes('a.txt'), file(sample, sample, 'old'));
      await run('Append', { path: 'a.txt', ...options, content: sample });
      assert.deepEqual(bytes('a.txt'), file(sample, sample, 'old', sample, ''));
    });
  }
}

/** @type {[string, string, string][]} */
const recognised = [
  ['gb18030', 'gb18030', '今天下午三点在会议室讨论项目进展，请大家准时参加。'],
  ['shift_jis', 'shift_jis', '会議は明日の午前十時から始まります。'],
  ['euc-jp', 'euc-jp', '会議は明日の午前十時から始まります。'],
  ['big5', 'big5', '今天下午三點在會議室討論專案進度，請大家準時參加。'],
  ['euc-kr', 'euc-kr', '회의는 내일 오전 열 시에 시작합니다.'],
  ['windows-1251', 'windows-1251', 'Совещание начнётся завтра в десять утра.'],
  ['windows-1252', 'windows-1252', 'La réunion commence demain à dix heures, s’il vous plaît.'],
];
for (const [encoding, expected, text] of recognised) {
  test(`recognises ${encoding} by its bytes`, async (t) => {
    const { run, put } = workspace(t);
    put('a.txt', iconv.encode(text, encoding));
    const { data } = await run('Read', { path: 'a.txt' });
    assert.deepEqual([data.encoding, data.content, data.encodingIsCertain], [expected, text, false]);
  });
}

test('recognises UTF-16 without a mark, and takes a table of numbers for no text', async (t) => {
  const { run, put } = workspace(t);
  put('le.txt', iconv.encode('plain words\r\n', 'utf-16le'));
  put('be.txt', iconv.encode('plain words\r\n', 'utf16-be'));
  put('numbers.bin', new Uint8Array(new Uint16Array(200).map((_, index) => index % 7)));
  assert.equal((await run('Read', { path: 'le.txt' })).data.encoding, 'utf-16le');
  assert.equal((await run('Read', { path: 'be.txt' })).data.encoding, 'utf-16be');
  assert.equal((await run('Read', { path: 'numbers.bin' })).data.kind, 'binary');
});

test('keeps bytes that are no characters, and refuses to change a line that holds them', async (t) => {
  const { run, put, bytes } = workspace(t);
  const broken = Buffer.from([0x61, 0xff, 0xfe, 0x62]);
  const file = (middle) => Buffer.concat([broken, Buffer.from(`\n${middle}\n`), broken, Buffer.from('\n')]);
  put('a.txt', file('old'));
  const { data, warnings } = await run('Read', { path: 'a.txt', encoding: 'utf-8' });
  assert.equal(data.content, 'a\ufffd\ufffdb\nold\na\ufffd\ufffdb\n');
  assert.equal(warnings[0].code, 'FILES.INEXACT_TEXT');
  await run('ApplyDiff', { path: 'a.txt', encoding: 'utf-8', edits: [{ search: 'old', replace: 'new' }] });
  assert.deepEqual(bytes('a.txt'), file('new'));
  const touching = { path: 'a.txt', encoding: 'utf-8', edits: [{ search: 'b\nnew', replace: 'x' }] };
  assert.equal(await outcome(run('ApplyDiff', touching)), 'FILES.EDIT_REJECTED');
  assert.deepEqual(bytes('a.txt'), file('new'));
});

test('writes back exactly what it read, whatever the line ends', async (t) => {
  const { run, put, bytes } = workspace(t);
  for (const text of ['a\r\nb\r\n', 'a\nb', 'a\rb\r', 'a\r\nb\nc\rd', '\ufeffa\r\n', '', '\n', 'a\r\r\nb']) {
    put('a.txt', text);
    const before = bytes('a.txt');
    const { data } = await run('Read', { path: 'a.txt' });
    const written = await run('Write', { path: 'a.txt', content: data.content });
    assert.deepEqual(bytes('a.txt'), before, JSON.stringify(text));
    assert.equal(written.data.operation, 'unchanged', JSON.stringify(text));
  }
});

test('takes the line end of the line before for new lines of a mixed file', async (t) => {
  const { run, put, bytes } = workspace(t);
  put('a.txt', 'one\r\ntwo\nthree');
  await run('ApplyDiff', { path: 'a.txt', diff: '@@ -1,3 +1,6 @@\n one\n+1.5\n two\n+2.5\n three\n+four\n' });
  assert.equal(bytes('a.txt').toString(), 'one\r\n1.5\r\ntwo\n2.5\nthree\nfour\n');
});

test('reads a file of 100,000 lines in parts, and changes one line in its middle', async (t) => {
  const { run, put, bytes } = workspace(t);
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}`);
  put('a.txt', `${lines.join('\r\n')}\r\n`);
  const first = await run('Read', { path: 'a.txt' });
  assert.deepEqual([first.data.endLine, first.data.nextLine, first.data.totalLines], [2_000, 2_001, 100_000]);
  assert.equal(first.warnings[0].code, 'OUTPUT_TRUNCATED');
  let next = 1;
  let content = '';
  while (next !== null) {
    const { data } = await run('Read', { path: 'a.txt', startLine: next, endLine: 100_000 });
    content += data.content;
    next = data.nextLine;
  }
  assert.equal(content, bytes('a.txt').toString());
  const { data } = await run('ApplyDiff', { path: 'a.txt', diff: '@@ -50000 +50000 @@\n-line 50000\n+changed\n' });
  assert.deepEqual(
    [data.addedLines, data.removedLines, data.applied],
    [1, 1, [{ line: 50_000, fuzz: 0, isMoved: false }]],
  );
  lines[49_999] = 'changed';
  assert.equal(bytes('a.txt').toString(), `${lines.join('\r\n')}\r\n`);
});

test('reads any text by bytes in parts that join without a seam', async (t) => {
  const { run, put } = workspace(t);
  const text = '项目 a 会议\r\n纪要 b é\r\n'.repeat(4);
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'gb18030']) {
    put('a.txt', Buffer.concat([byteOrderMarkOf(encoding === 'gb18030' ? '' : encoding), encode(text, encoding)]));
    for (const byteLength of [1, 2, 3, 7, 64]) {
      let content = '';
      for (let next = 0; next !== null;) {
        const { data } = await run('Read', { path: 'a.txt', byteStart: next, byteLength, encoding });
        assert.ok(data.nextByte === null || data.nextByte > next);
        content += data.content;
        next = data.nextByte;
      }
      assert.equal(content, text, `${encoding} by ${byteLength}`);
    }
  }
});

test('says of a line that is too long for an answer how to read it', async (t) => {
  const { run, put } = workspace(t);
  put('a.txt', `short\n${'x'.repeat(300_000)}\n`);
  const error = await run('Read', { path: 'a.txt', startLine: 2 }).catch((thrown) => thrown);
  assert.equal(error.code, 'FILES.TOO_LARGE');
  const { data } = await run('Read', { path: 'a.txt', byteStart: error.details.byteStart });
  assert.deepEqual([data.content.length, data.nextByte], [262_144, 262_150]);
});

/** @type {[string, string, string, string][]} */
const diffs = [
  ['a hunk whose line number is wrong', 'a\nb\nc\nd\n', '@@ -9,2 +9,2 @@\n b\n-c\n+C\n', 'a\nb\nC\nd\n'],
  ['a hunk whose counts are wrong', 'a\nb\n', '@@ -1,9 +1,9 @@\n a\n-b\n+B\n', 'a\nB\n'],
  ['a hunk without numbers', 'a\nb\n', '@@ @@\n a\n-b\n+B\n', 'a\nB\n'],
  ['a hunk whose outer context is stale', 'a\nb\nc\n', '@@ -1,3 +1,3 @@\n x\n-b\n+B\n c\n', 'a\nB\nc\n'],
  [
    'two hunks, the first of which moves the second',
    'a\nb\nc\nd\n',
    '@@ -1 +1,2 @@\n-a\n+A\n+A2\n@@ -4 +5 @@\n-d\n+D\n',
    'A\nA2\nb\nc\nD\n',
  ],
  ['lines added before the first', 'a\n', '@@ -1 +1,2 @@\n+0\n a\n', '0\na\n'],
  ['lines added without context', 'a\nb\n', '@@ -1,0 +2 @@\n+x\n', 'a\nx\nb\n'],
  ['lines that look like headers', '- a\n', '@@ -1 +1 @@\n-- a\n+- b\n', '- b\n'],
  ['the last line end taken away', 'a\n', '@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n', 'a'],
  ['a last line end added', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a\n'],
  ['everything removed', 'a\nb\n', '@@ -1,2 +0,0 @@\n-a\n-b\n', ''],
  ['a diff with CRLF for a file with LF', 'a\nb\n', '@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n', 'a\nB\n'],
  ['an empty context line that lost its space', 'a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n', 'a\n\nB\n'],
];
for (const [name, before, diff, after] of diffs) {
  test(`applies ${name}`, async (t) => {
    const { run, put, bytes } = workspace(t);
    put('a.txt', before);
    await run('ApplyDiff', { path: 'a.txt', diff, dryRun: true });
    assert.equal(bytes('a.txt').toString(), before);
    await run('ApplyDiff', { path: 'a.txt', diff });
    assert.equal(bytes('a.txt').toString(), after);
  });
}

/** @type {[string, string, string, string][]} */
const rejectedDiffs = [
  ['fits nowhere', 'a\nb\n', '@@ -1 +1 @@\n-c\n+d\n', 'FILES.DIFF_REJECTED'],
  ['fits twice, and not where it says', 'a\nb\na\nb\n', '@@ -9 +9 @@\n-a\n+x\n', 'FILES.DIFF_REJECTED'],
  ['fits twice with less context', 'a\nb\nc\nb\n', '@@ -1,2 +1,2 @@\n x\n-b\n+B\n', 'FILES.DIFF_REJECTED'],
  [
    'has a second hunk that does not fit',
    'a\nb\n',
    '@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-x\n+B\n',
    'FILES.DIFF_REJECTED',
  ],
  [
    'is of two files',
    'a\n',
    '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n',
    'FILES.DIFF_INVALID',
  ],
  ['changes nothing', 'a\n', '@@ -1 +1 @@\n a\n', 'FILES.DIFF_INVALID'],
  [
    'says no newline where there is one',
    'a\n',
    '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n',
    'FILES.DIFF_REJECTED',
  ],
];
for (const [name, before, diff, code] of rejectedDiffs) {
  test(`rejects whole a diff that ${name}`, async (t) => {
    const { run, put, bytes } = workspace(t);
    put('a.txt', before);
    assert.equal(await outcome(run('ApplyDiff', { path: 'a.txt', diff })), code);
    assert.equal(bytes('a.txt').toString(), before);
  });
}

test('undoes its own diff: what it shows is what it did', async (t) => {
  const { run, put, bytes } = workspace(t);
  const before = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
  put('a.txt', before);
  const edits = [
    { search: 'line 5\n', replace: 'five\nfive and a half\n' },
    { search: 'line 40\nline 41', replace: '' },
    { search: 'line 59', replace: 'the end\n' },
  ];
  const { data } = await run('ApplyDiff', { path: 'a.txt', edits });
  const after = bytes('a.txt').toString();
  put('b.txt', before);
  await run('ApplyDiff', { path: 'b.txt', diff: data.diff });
  assert.equal(bytes('b.txt').toString(), after);
});

test('appends in the encoding of the end where the beginning is plain ASCII', async (t) => {
  const { run, put, bytes } = workspace(t);
  const line = iconv.encode('今天下午三点在会议室讨论项目进展，请大家准时参加。\n', 'gb18030');
  const log = Buffer.concat([Buffer.from('plain\n'.repeat(250_000)), line, line, line]);
  put('log.txt', log);
  const { data, warnings } = await run('Append', { path: 'log.txt', content: '纪要' });
  assert.equal(data.encoding, 'gb18030');
  assert.equal(warnings[0].code, 'FILES.ENCODING_GUESSED');
  assert.deepEqual(bytes('log.txt').subarray(log.length), iconv.encode('纪要\n', 'gb18030'));
});

test('takes a text with one broken line for UTF-8', async (t) => {
  const { run, put, bytes } = workspace(t);
  const log = Buffer.concat([Buffer.from('今天下午三点在会议室\n'.repeat(40)), Buffer.from([0xe4, 0xbb, 0x0a])]);
  put('log.txt', log);
  const { data, warnings } = await run('Append', { path: 'log.txt', content: '纪要' });
  assert.deepEqual([data.encoding, warnings[0].code], ['utf-8', 'FILES.ENCODING_GUESSED']);
  assert.equal(bytes('log.txt').subarray(log.length).toString(), '纪要\n');
});

test('refuses a text of more lines than it can hold, and searches past it', async (t) => {
  const { run, put } = workspace(t);
  put('a.txt', Buffer.alloc(2_000_001, '\n'));
  put('b.txt', 'needle\n');
  assert.equal(await outcome(run('Read', { path: 'a.txt' })), 'FILES.TOO_LARGE');
  const { data } = await run('Search', { query: 'NEEDLE', caseSensitive: false });
  assert.deepEqual([data.matchedLines, data.skipped.tooLarge], [1, 1]);
});

test('placing many hunks in many lines ends when the call is cancelled', async (t) => {
  const { run, put, bytes } = workspace(t);
  put('a.txt', 'x\n'.repeat(300_000));
  let looks = 0;
  const signal = {
    throwIfAborted: () => {
      looks += 1;
      if (looks === 3) throw new Error('cancelled');
    },
  };
  const diff = Array.from({ length: 200 }, () => '@@ @@\n x\n x\n-y\n+z\n').join('');
  await assert.rejects(run('ApplyDiff', { path: 'a.txt', diff }, { signal }), { message: 'cancelled' });
  assert.equal(bytes('a.txt').length, 600_000);
});

test('replacing very many pieces of one line ends when the call is cancelled', async (t) => {
  const { run, put, bytes } = workspace(t);
  put('a.txt', 'ab'.repeat(50_000));
  const edits = [{ search: 'a', replace: 'c', expectedCount: 50_000 }];
  let looks = 0;
  const signal = {
    throwIfAborted: () => {
      looks += 1;
      if (looks === 3) throw new Error('cancelled');
    },
  };
  await assert.rejects(run('ApplyDiff', { path: 'a.txt', edits }, { signal }), { message: 'cancelled' });
  assert.equal(bytes('a.txt').toString(), 'ab'.repeat(50_000));
  await run('ApplyDiff', { path: 'a.txt', edits });
  assert.equal(bytes('a.txt').toString(), 'cb'.repeat(50_000));
});
