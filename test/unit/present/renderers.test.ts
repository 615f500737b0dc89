import { describe, expect, it } from 'vitest';
import { STANDARD_RENDERERS } from '../../../src/present/ai/renderers/standard-renderers.ts';
import { aiViewOf } from '../../support/ai-view.ts';
import { descriptor, TOOL_ERROR, ULID } from '../../support/sample-values.ts';

const preferring = (preferredView: string | null) => ({
  summary: null,
  preferredView,
  title: null,
  primaryResourceId: null,
});
const resultOf = (text: string): string => text.split('### Result\n\n')[1]?.split('\n\n### ')[0] ?? '';
const shown = (preferredView: string | null, data: unknown, more: Record<string, unknown> = {}): string =>
  resultOf(aiViewOf({ data, presentation: preferring(preferredView), ...more }).text);

describe('the renderer', () => {
  it('has eleven kinds, in the order in which they are asked', () => {
    expect(STANDARD_RENDERERS.map(({ name }) => name)).toEqual([
      'error',
      'task-accepted',
      'task-status',
      'schedule-list',
      'search-report',
      'image-result',
      'file-result',
      'command-execution',
      'table',
      'generic-object',
      'generic-array',
    ]);
  });

  it('schedule-list says when and what, and the rest after it', () => {
    const schedules = [
      { id: 's1', time: '2026-07-12T10:00:00+08:00', content: 'Meet Nova' },
      { id: 's2', time: '2026-07-13T09:00:00Z', end: '2026-07-13T10:00:00Z', content: 'Call', place: 'Office' },
    ];
    expect(shown('schedule-list', { schedules, total: 2 })).toBe(
      [
        '**schedules** (2):',
        '',
        '1. 2026-07-12T10:00:00+08:00 — Meet Nova\n   - **id**: s1',
        '2. 2026-07-13T09:00:00Z — 2026-07-13T10:00:00Z — Call\n   - **id**: s2\n   - **place**: Office',
        '',
        '<!---->',
        '',
        '- **total**: 2',
      ]
        .join('\n')
        .replace('\n\n<!---->', ''),
    );
  });

  it('search-report links what was found, with its excerpt', () => {
    const results = [
      { title: 'A [page]', url: 'https://example.com/a', snippet: 'About a.', score: 0.5 },
      { title: 'No link', url: 'not an address' },
    ];
    expect(shown('search-report', { query: 'a', results })).toBe(
      [
        '- **query**: a',
        '',
        '**results** (2):',
        '',
        '1. [A \\[page\\]](https://example.com/a) — About a.\n   - **score**: 0.5',
        '2. No link — not an address',
      ].join('\n'),
    );
  });

  it.each([
    ['image-result', {}],
    [null, { aiAdvice: { intent: 'relay', message: null, resourceIds: [], renderHint: 'image', priority: 'low' } }],
  ])('image-result (by %s) describes the picture where data refers to it', (preferredView, more) => {
    const data = { image: { $resource: `res_${ULID}` }, seed: 42 };
    expect(shown(preferredView, data, { resources: [descriptor()], ...more })).toBe(
      `- **image**: \`res_${ULID}\` (image/png, 179.6 KiB, 4 × 3)\n\nWith:\n\n- **seed**: 42`,
    );
  });

  it('file-result lists files by name and size, or describes one that data refers to', () => {
    const files = [
      { name: 'a.txt', sizeBytes: 2_048, kind: 'text' },
      { name: 'b_c.txt', sizeBytes: 1 },
    ];
    expect(shown('file-result', files)).toBe(
      '**items** (2):\n\n1. `a.txt`, 2.0 KiB\n   - **kind**: text\n2. `b_c.txt`, 1 bytes',
    );
    const audio = descriptor({ kind: 'audio', mimeType: 'audio/mpeg', dimensions: null, durationMs: 185_000 });
    expect(shown('file-result', { song: { $resource: `res_${ULID}` } }, { resources: [audio] })).toBe(
      `- **song**: \`res_${ULID}\` (audio/mpeg, 179.6 KiB, 3:05)`,
    );
  });

  it.each(['command-execution', null])('command-execution (by %s) fences what was printed', (preferredView) => {
    const data = { command: 'ls -l', exitCode: 2, stdout: 'total 0\n', stderr: 'ls: no\n```', durationMs: 5 };
    expect(shown(preferredView, data)).toBe(
      [
        '`ls -l`: exit code 2',
        '**stdout**:',
        '```\ntotal 0\n```',
        '**stderr**:',
        '````\nls: no\n```\n````',
        '- **durationMs**: 5',
      ].join('\n\n'),
    );
  });

  it('table shows columns with rows, and lists of objects with more columns than the generic rules do', () => {
    expect(shown('table', { columns: ['a', 'b'], rows: [[1, 'x|y'], [2]], unit: 'm' })).toBe(
      '**rows** (2):\n\n| a | b |\n| - | - |\n| 1 | x\\|y |\n| 2 | |\n\n- **unit**: m',
    );
    const wide = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`c${n}`, n]));
    expect(shown('table', [wide]).split('\n')[2]).toBe(`| ${Object.keys(wide).join(' | ')} |`);
  });

  it('task-accepted says where the result will be, task-status how it ended', () => {
    const id = `task_${ULID}`;
    const placeholder = `{{VCP_ASYNC_RESULT::Sample::${id}}}`;
    const task = { id, state: 'queued', progress: null, pollAfterMs: 500, placeholder };
    expect(aiViewOf({ status: 'accepted', data: null, task }).text).toBe(
      `**Sample · Run** — accepted, still running\n\nTask \`${id}\`: queued; its result will replace \`${placeholder}\`; look again after 500 ms`,
    );
    const ended = { id, state: 'completed', progress: 1, pollAfterMs: null, placeholder: null };
    expect(aiViewOf({ data: null, task: ended }).text).toContain(`Task \`${id}\`: completed, 100 %`);
  });

  it('error tells code, kind, place and cause, and then its details', () => {
    const error = {
      ...TOOL_ERROR,
      retryable: true,
      target: 'a.b',
      cause: { code: 'E', message: 'c' },
      details: { allowed: [1] },
    };
    expect(aiViewOf({ status: 'error', data: null, error }).text).toBe(
      [
        '**Sample · Run** — failed',
        '`INVALID_ARGUMENT`: time is not valid',
        'category: validation; at: a.b; the same call may work later',
        'caused by: E: c',
        '- **allowed**: 1',
      ].join('\n\n'),
    );
  });
});

describe('a renderer', () => {
  it.each<[string, unknown]>([
    ['schedule-list', { schedules: [{ id: 1 }] }],
    ['search-report', { results: [{ rank: 1 }, { rank: 2 }] }],
    ['image-result', { image: 'none' }],
    ['file-result', { files: [{ size: 1 }] }],
    ['command-execution', { exitCode: 'none' }],
    ['table', { rows: [{ a: { deep: 1 } }] }],
    ['somebody-elses-view', { a: 1 }],
  ])('that was asked for data of another shape leaves it to the generic rules: %s', (preferredView, data) => {
    expect(shown(preferredView, data)).toBe(shown(null, data));
  });

  it.each(['schedule-list', 'search-report', 'file-result', 'table'])('of %s tells what was cut, and where', (name) => {
    const items = Array.from({ length: 2_000 }, (_, n) => ({
      time: `2026-01-01T00:00:${n}Z`,
      title: `t${n}`,
      name: `n${n}`,
      url: `https://example.com/${n}`,
      content: 'words',
    }));
    const { text, omitted } = aiViewOf({ data: { items }, presentation: preferring(name) }, { maxCharacters: 2_000 });
    const cut = omitted.fields.find(({ pointer }) => pointer === '/data/items');
    expect(cut).toMatchObject({ unit: 'items', originalCount: 2_000 });
    expect(text).toContain('**items** (2000):');
    expect(text).toContain(`*truncated: ${cut?.keptCount} of 2000 items shown at /data/items*`);
    expect(text.length).toBeLessThanOrEqual(2_000);
  });

  it('of a command tells what was cut of its output', () => {
    const data = { command: 'x', exitCode: 0, stdout: 'line\n'.repeat(10_000) };
    const { text, omitted } = aiViewOf({ data }, { maxCharacters: 1_000 });
    expect(omitted.fields[0]).toMatchObject({ pointer: '/data/stdout', unit: 'characters', originalCount: 50_000 });
    expect(text).toMatch(/truncated: \d+ of 50000 characters shown at \/data\/stdout/);
  });
});

describe('what survives a budget', () => {
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, note: 'n'.repeat(100) }));
  const crowded = {
    status: 'partial',
    data: { rows },
    error: { ...TOOL_ERROR, message: 'e'.repeat(5_000), details: { list: rows } },
    presentation: { ...preferring(null), summary: 's'.repeat(5_000), primaryResourceId: `res_${ULID}` },
    resources: [descriptor({ id: `res_${ULID.replace(/.$/, '9')}` }), descriptor()],
    warnings: Array.from({ length: 40 }, () => ({
      code: 'SLOW',
      message: 'w'.repeat(500),
      target: null,
      details: null,
    })),
    aiAdvice: { intent: 'relay', message: 'm'.repeat(400), resourceIds: [], renderHint: null, priority: 'high' },
  };

  it.each([1_200, 1_500, 3_000, 8_000])('of %i characters: something of each essential part', (maxCharacters) => {
    const { text, omitted } = aiViewOf(crowded, { maxCharacters, includeExecutionMetadata: true });
    expect(text.length).toBeLessThanOrEqual(maxCharacters);
    expect(text).toContain('— partly done');
    expect(text).toContain('`INVALID_ARGUMENT`: eee');
    expect(text).toContain('sss');
    expect(text).toContain('### Result');
    expect(text).toContain(`\`res_${ULID}\` picture.png`);
    const lost = omitted.fields.map(({ pointer }) => pointer);
    expect(lost).toContain('/error/message');
    expect(lost).toContain('/presentation/summary');
    if (!text.includes('### Warnings')) expect(lost).toContain('/warnings');
    if (!text.includes('### Delivery advice')) expect(lost).toContain('/aiAdvice');
    if (!text.includes('finished')) expect(lost).toContain('/execution');
  });

  it('lists what was made on the way among what was left out', () => {
    const log = descriptor({ id: `res_${ULID.replace(/.$/, '8')}`, role: 'log' });
    const { text, omitted, content } = aiViewOf({ data: null, resources: [log] });
    expect(text).toContain(`1 more resource: ${log['id'] as string}`);
    expect(omitted.resources).toEqual([log['id']]);
    expect(content).toHaveLength(1);
  });
});

describe('advice', () => {
  const advice = (message: string, resourceIds: string[] = []) => ({
    aiAdvice: { intent: 'display_resource', message, resourceIds, renderHint: null, priority: 'normal' },
  });

  it('that was cut or cleaned is told among what is missing', () => {
    const cut = aiViewOf(advice('w'.repeat(900)));
    expect(cut.omitted.fields).toEqual([
      { pointer: '/aiAdvice/message', unit: 'characters', originalCount: 900, keptCount: 499 },
    ]);
    const cleaned = aiViewOf(advice('Show <b>it</b>'));
    expect(cleaned.omitted.redactions).toEqual([{ pointer: '/aiAdvice/message', reason: 'not allowed in advice' }]);
    expect(aiViewOf(advice('Show it')).omitted).toMatchObject({ fields: [], redactions: [] });
  });

  it('that names a resource which is not shown loses its sentence', () => {
    const hidden = `res_${ULID.replace(/.$/, '7')}`;
    const view = aiViewOf({
      resources: [descriptor({ id: hidden, role: 'log' })],
      ...advice(`Show ${hidden}`, [hidden]),
    });
    expect(view.text).not.toContain('### Delivery advice');
    expect(view.omitted.redactions).toEqual([
      { pointer: '/aiAdvice/message', reason: 'names a resource that is not shown' },
    ]);
  });
});
