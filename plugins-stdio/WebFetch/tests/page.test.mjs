import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '../page/decode-text.mjs';
import { fileNameOf, kindOf, mediaTypeOf } from '../page/media-type.mjs';
import { readHtml } from '../page/read-html.mjs';
import { readInThread } from '../page/read-in-thread.mjs';

const page = (body, options = { wanted: 'article' }) =>
  readHtml(`<!doctype html><title>T</title><body>${body}`, 'https://page.example/a/b', options);

test('drops what only machines see', () => {
  const { content } = page(
    '<p>seen</p><!-- comment --><script>program</script><p hidden>hidden</p><p style="display: none">styled</p>' +
      '<p aria-hidden="true">aria</p><p style="font-size:0">small</p><template>template</template>',
  );
  assert.equal(content, 'seen');
});

test('escapes text that looks like markup', () => {
  assert.equal(page('<p># no heading</p><p>a * b_c_ [x](y)</p>').content, '\\# no heading\n\na \\* b_c\\_ \\[x]\\(y)');
});

test('makes links whole, by the base of the page, and drops programs from them', () => {
  const { content, links } = readHtml(
    '<base href="/x/"><body><a href="y">one</a> <a href="javascript:z()">two</a> <a href="data:text/html,z">three</a>',
    'https://page.example/a',
    { wanted: 'article' },
  );
  assert.equal(content, '[one](https://page.example/x/y) two three');
  assert.deepEqual(links, [{ text: 'one', url: 'https://page.example/x/y' }]);
});

test('names images, and not those of one pixel or inside the page', () => {
  const { images } = page(
    '<img src="i.png" alt="chart"><img src="t.gif" width=1 height=1><img src="data:image/png;base64,AA" alt="inner">',
  );
  assert.deepEqual(images, [{ alt: 'chart', url: 'https://page.example/a/i.png' }]);
});

test('refuses a page that nests or grows beyond all bounds', () => {
  // The last is 4 KB of tags, and as a tree some 20,000 elements: each paragraph opens the fonts of all before it.
  const fonts = Array.from({ length: 250 }, (_, index) => `<p><font x=${index}></p>`).join('');
  for (const html of ['<div>'.repeat(300), '<i></i>'.repeat(41_000), fonts])
    assert.throws(
      () => page(html),
      (error) => error.code === 'WEB.UNREADABLE' && /format "file"/.test(error.message),
    );
});

test('an empty page, and text without a tag, are pages', () => {
  assert.equal(readHtml('', 'https://page.example/', { wanted: 'article' }).content, '');
  assert.equal(readHtml('just text', 'https://page.example/', { wanted: 'article' }).content, 'just text');
});

test('decodes by mark, header, meta, and else by what fits', () => {
  const decode = (bytes, type, isHtml = true) => decodeText(Uint8Array.from(bytes), type, isHtml);
  assert.deepEqual(decode([0xff, 0xfe, 0x2d, 0x4e], null), { text: '中', charset: 'utf-16le' });
  assert.deepEqual(decode([0xd6, 0xd0], 'text/html; charset=gb2312'), { text: '中', charset: 'gbk' });
  assert.deepEqual(decode([...Buffer.from('<meta charset=big5>'), 0xa4, 0xa4], 'text/html').text.at(-1), '中');
  assert.deepEqual(decode([0xe4, 0xb8, 0xad], 'text/plain', false), { text: '中', charset: 'utf-8' });
  assert.deepEqual(decode([0x63, 0xe9], 'text/plain', false), { text: 'cé', charset: 'windows-1252' });
  assert.deepEqual(decode([0x63], 'text/plain; charset=nonsense', false), { text: 'c', charset: 'utf-8' });
});

test('takes invisible and turning characters out of text', () => {
  const hidden = `a\u202eb\u200bc\u{e0041}d\u0007e\ufeff`;
  assert.equal(decodeText(Buffer.from(hidden), 'text/plain', false).text, 'abcde');
});

test('takes them out of what a page writes as character references', () => {
  const { content, links, images } = page(
    '<p>a&#x202e;b&#x2060;c&shy;d&#x180e;e&#xe0041;f&#x200f;g&#xfe01;h&#xe0101;i</p>' +
      '<a href="/x">li&#x2063;nk</a><img src="i.png" alt="a&#x200b;lt">',
  );
  assert.match(content, /^abcdefghi\n/);
  assert.equal(links[0].text, 'link');
  assert.equal(images[0].alt, 'alt');
});

test('leaves emoji and joined scripts as they are written', () => {
  for (const text of ['❤️', '👩‍💻', 'می‌خواهم', 'Übergröße 会'])
    assert.equal(decodeText(Buffer.from(text), 'text/plain', false).text, text);
});

test('reads the beginning of endless text, and says that it is cut', () => {
  const { content, isCut } = page(`<p>${'word '.repeat(240_000)}</p>`);
  assert.ok(isCut && content.length <= 1_000_000);
});

test('ends a page that takes too long, or whose call is cancelled, and reads the next', async () => {
  const read = (html, signal = new AbortController().signal, ms = 20_000) =>
    readInThread(html, 'https://page.example/', { wanted: 'article' }, signal, ms);
  await assert.rejects(
    read('<p>x</p>'.repeat(30_000), undefined, 1),
    (error) => error.code === 'WEB.UNREADABLE' && /takes more than/.test(error.message),
  );
  const controller = new AbortController();
  const cancelled = read('<p>x</p>'.repeat(30_000), controller.signal);
  controller.abort(new Error('enough'));
  await assert.rejects(cancelled, /enough/);
  await assert.rejects(read('<div>'.repeat(300)), (error) => error.code === 'WEB.UNREADABLE');
  assert.equal((await read('<p>next</p>')).content, 'next');
});

test('tells pages, text and files apart', () => {
  assert.equal(mediaTypeOf('Text/HTML; charset=x', new Uint8Array()), 'text/html');
  assert.equal(mediaTypeOf(null, Buffer.from('  <!DOCTYPE html>')), 'text/html');
  assert.equal(mediaTypeOf('nonsense', Uint8Array.of(1, 0, 2)), 'application/octet-stream');
  assert.deepEqual(
    ['text/html', 'application/xhtml+xml', 'application/ld+json', 'text/csv', 'image/svg+xml', 'application/pdf'].map(
      kindOf,
    ),
    ['html', 'html', 'text', 'text', 'file', 'file'],
  );
});

test('names a file as its server does, and never by a path', () => {
  const name = (disposition, url = 'https://page.example/dir/data.csv') =>
    fileNameOf({ url, headers: new Headers(disposition === null ? {} : { 'content-disposition': disposition }) });
  assert.equal(name(null), 'data.csv');
  assert.equal(name('attachment; filename="../../etc/passwd"'), '_.._etc_passwd');
  assert.equal(name("attachment; filename*=UTF-8''%E8%A1%A8.csv; filename=x.csv"), '表.csv');
  assert.equal(name(null, 'https://page.example/'), 'file');
});
