import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart } from '../chart/draw-chart.mjs';
import { readChart } from '../chart/read-chart.mjs';
import { processToolCall } from '../main.mjs';

const call = async (command, args, signal = new AbortController().signal) => {
  const written = [];
  const resourceWriter = {
    write: async (bytes, options) => {
      written.push({ bytes, ...options });
      return 'written-1';
    },
  };
  return { payload: await processToolCall({ command, ...args }, { command, resourceWriter, signal }), written };
};

/** The texts of a drawing and where each is anchored. */
const textsOf = (svg) =>
  [...svg.matchAll(/<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>(.*?)<\/text>/g)].map(([, x, y, inner]) => ({
    x: Number(x),
    y: Number(y),
    text: inner.replaceAll(/<[^>]*>/g, ''),
  }));
const draw = (kind, args) => drawChart(readChart(kind, args));
const bars = (svg) =>
  [...svg.matchAll(/<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)" fill/g)].map((match) =>
    match.slice(1).map(Number),
  );

test('answers with one PNG, written through the resource writer', async () => {
  const { payload, written } = await call('Line', {
    title: 'Sales: 一月/二月',
    x: [1, 2],
    series: [{ name: 'a', values: [1, 2] }],
  });
  assert.equal(payload.status, 'success');
  assert.deepEqual(payload.data.image, { $resource: 'chart' });
  assert.equal(payload.resources[0].resourceId, 'written-1');
  assert.equal(written.length, 1);
  assert.equal(written[0].fileName, 'Sales-一月-二月.png');
  const { bytes } = written[0];
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const header = new DataView(bytes.buffer, bytes.byteOffset + 16, 8);
  assert.deepEqual([header.getUint32(0), header.getUint32(4)], [payload.data.widthPixels, payload.data.heightPixels]);
});

test('draws the same bytes for the same arguments', async () => {
  const args = { categories: ['甲', 'β', 'c'], series: [{ name: 'a', values: [1, -2, 3] }] };
  const [first, second] = [await call('Bar', args), await call('Bar', args)];
  assert.deepEqual(first.written[0].bytes, second.written[0].bytes);
});

test('bars have lengths in proportion to their values, on both sides of zero', () => {
  const { svg } = draw('bar', { categories: ['a', 'b', 'c'], series: [{ name: 's', values: [100, 50, -50] }] });
  const [[, topA, , heightA], [, topB, , heightB], [, topC, , heightC]] = bars(svg);
  assert.ok(Math.abs(heightA / heightB - 2) < 0.01);
  assert.ok(Math.abs(heightB - heightC) < 0.1);
  assert.ok(Math.abs(topA + heightA - (topB + heightB)) < 0.1, 'both stand on zero');
  assert.ok(Math.abs(topC - (topB + heightB)) < 0.1, 'the negative one hangs from it');
});

test('stacked bars stand on each other, negative ones below zero', () => {
  const series = [
    { name: 'a', values: [10] },
    { name: 'b', values: [20] },
    { name: 'c', values: [-10] },
  ];
  const [a, b, c] = bars(draw('bar', { mode: 'stacked', categories: ['x'], series }).svg);
  assert.ok(Math.abs(b[1] + b[3] - a[1]) < 0.1);
  assert.ok(Math.abs(c[1] - (a[1] + a[3])) < 0.1);
});

test('a line is broken where a value is missing', () => {
  const { svg } = draw('line', { x: [1, 2, 3, 4, 5], series: [{ name: 's', values: [1, 2, null, 4, 5] }] });
  assert.equal(svg.match(/stroke-linecap="round"/g).length, 2);
});

test('a line is drawn from left to right whatever the order of x', () => {
  const one = draw('line', { x: [3, 1, 2], series: [{ name: 's', values: [30, 10, 20] }] });
  const other = draw('line', { x: [1, 2, 3], series: [{ name: 's', values: [10, 20, 30] }] });
  assert.equal(one.svg, other.svg);
});

test('text is drawn as text, never as markup', () => {
  const name = '<image href="file:///etc/passwd"/>&"]]>';
  const { svg } = draw('bar', { title: name, categories: [name], series: [{ name, values: [1] }], legend: true });
  assert.ok(!svg.includes('<image'));
  assert.ok(svg.includes('&lt;image'));
});

test('control characters and half surrogates do not reach the drawing', () => {
  const { svg } = draw('bar', {
    title: 'a\u0000\u001b\ud800b\nc',
    categories: ['x'],
    series: [{ name: 's', values: [1] }],
  });
  assert.ok(textsOf(svg).some(({ text }) => /^a.?b c$/u.test(text)));
  assert.ok(!svg.includes('\u0000') && !svg.includes('\u001b'));
});

test('Chinese, Japanese, Greek, Cyrillic and Vietnamese have glyphs; Korean and emoji are named as missing', () => {
  const chart = (title) => draw('bar', { title, categories: ['x'], series: [{ name: 's', values: [1] }] });
  assert.deepEqual(chart('营业收入 図表かなカナ Ωλ Яж Việt €−°²').missingCharacters, []);
  assert.deepEqual(chart('한 😀').missingCharacters, ['한', '😀']);
});

/** Common Chinese characters, one after another. */
const chinese = (from, count) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => 0x4e00 + from + index));

test('text that does not fit is neither measured nor are its fonts loaded', () => {
  const series = (count) => [{ name: 's', values: Array.from({ length: count }, (_, index) => index) }];
  const few = draw('bar', { categories: ['甲'.repeat(30) + chinese(0, 170), 'b'], width: 240, series: series(2) });
  assert.ok(few.fontFiles.length <= 3, String(few.fontFiles.length));
  assert.equal(draw('bar', { categories: ['a'.repeat(150) + '한'], series: series(1) }).missingCharacters.length, 0);
});

test('of 20,000 names only those are set that have room', () => {
  const x = Array.from({ length: 20_000 }, (_, index) => `${index} ${chinese(index, 190)}`);
  const { svg, namesLeftOut } = draw('line', { x, series: [{ name: 's', values: x.map((_, index) => index) }] });
  assert.ok(textsOf(svg).length < 100);
  assert.ok(namesLeftOut > 19_900);
});

test('names beside horizontal bars keep apart', () => {
  const categories = Array.from({ length: 160 }, (_, index) => `n${index}`);
  const series = [{ name: 's', values: categories.map((_, index) => index) }];
  const { svg, namesLeftOut } = draw('bar', { orientation: 'horizontal', categories, series });
  const rows = textsOf(svg).filter(({ text }) => /^n\d/.test(text));
  assert.equal(rows.length + namesLeftOut, 160);
  for (const [index, { y }] of rows.slice(1).entries()) assert.ok(y - rows[index].y >= 11);
});

test('the server goes on while a chart is drawn, and a cancelled one ends', async () => {
  const args = { x: [1, 2], series: [{ name: 'a', values: [1, 2] }] };
  const controller = new AbortController();
  const cancelled = call('Line', args, controller.signal);
  const next = call('Line', args);
  setImmediate(() => controller.abort(new Error('enough')));
  await assert.rejects(cancelled, /enough/);
  assert.equal((await next).payload.status, 'success');
});

test('only the fonts that the text needs are loaded', () => {
  const latin = draw('line', { x: [1, 2], series: [{ name: 's', values: [1, 2] }] });
  assert.equal(latin.fontFiles.length, 1);
});

test('no text leaves the picture, and axis labels keep apart', () => {
  const categories = Array.from({ length: 30 }, (_, index) => `Category ${index} with a long name`);
  const values = categories.map((_, index) => index * 1e6);
  const { svg, namesShortened } = draw('bar', { title: 'x'.repeat(300), categories, series: [{ name: 's', values }] });
  assert.ok(namesShortened > 0);
  for (const { x, y } of textsOf(svg)) assert.ok(x >= 0 && x <= 800 && y >= 0 && y <= 480, `${x},${y}`);
});

test('ticks of large, small and logarithmic values are written short', () => {
  const ticks = (values, more = {}) =>
    textsOf(draw('line', { x: [1, 2], series: [{ name: 's', values }], ...more }).svg).map(({ text }) => text);
  assert.ok(ticks([0, 5e9]).includes('5B'));
  assert.ok(ticks([0, 5e9], { yUnit: 'Hz' }).includes('5G'));
  assert.ok(ticks([0, 2e-7]).includes('2e−7'));
  assert.ok(ticks([1, 1e9], { yScale: 'log' }).some((text) => text === '1e8'));
  assert.ok(ticks([-3, 3]).includes('−3'));
});

test('time axes are in UTC, and say so where there is a time of day', () => {
  const args = { x: ['2026-07-12T23:00:00-01:00', '2026-07-13T06:00:00Z'], series: [{ name: 's', values: [1, 2] }] };
  const texts = new Set(textsOf(draw('line', args).svg).map(({ text }) => text));
  assert.ok(texts.has('07-13 00:00'));
  assert.ok(texts.has('UTC'));
});

test('20,000 points of a line keep their highest and lowest', () => {
  const values = Array.from({ length: 20_000 }, (_, index) =>
    index === 12_345 ? 99 : index === 777 ? -99 : Math.sin(index / 50),
  );
  const { svg, drawnPoints } = draw('line', { x: values.map((_, index) => index), series: [{ name: 's', values }] });
  assert.ok(drawnPoints < 2_000);
  const heights = [...svg.match(/<path d="([^"]*)" fill="none"/)[1].matchAll(/[ML,](?:[-\d.]+),([-\d.]+)/g)].map(
    ([, y]) => Number(y),
  );
  const [high, low] = [Math.min(...heights), Math.max(...heights)];
  const sorted = heights.toSorted((a, b) => a - b);
  assert.ok(sorted[1] - high > 100, 'the peak stands alone');
  assert.ok(low - sorted.at(-2) > 100, 'so does the trough');
});

test('more points than a chart holds are refused', async () => {
  const points = Array.from({ length: 10_001 }, (_, index) => [index, index]);
  const { payload, written } = await call('Scatter', {
    series: [
      { name: 'a', points },
      { name: 'b', points },
    ],
  });
  assert.equal(payload.error.code, 'CHART.TOO_MANY_POINTS');
  assert.deepEqual(payload.error.details, { limit: 20_000, received: 20_002 });
  assert.equal(written.length, 0);
});

test('a picture of too many pixels is drawn smaller, with a warning', async () => {
  const { payload } = await call('Line', {
    width: 1600,
    height: 1200,
    scale: 3,
    x: [1],
    series: [{ name: 'a', values: [1] }],
  });
  assert.ok(payload.data.widthPixels * payload.data.heightPixels <= 4_010_000);
  assert.equal(payload.warnings[0].code, 'SCALE_REDUCED');
});

test('equal and extreme values have an axis', () => {
  for (const values of [
    [5, 5],
    [0, 0],
    [-5, -5],
    [1e100, -1e100],
    [5e-324, 0],
    [0.1 + 0.2, 0.3],
  ]) {
    const { svg } = draw('line', { x: [1, 2], series: [{ name: 's', values }] });
    assert.ok(!/NaN|Infinity/.test(svg), String(values));
  }
});
