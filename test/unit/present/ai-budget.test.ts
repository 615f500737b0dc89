import { describe, expect, it } from 'vitest';
import { TOOL_ERROR, ULID } from '../../support/sample-values.ts';
import { aiViewOf } from '../../support/ai-view.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, note: 'some words' }));

describe('the budget', () => {
  it.each([120, 200, 500, 1_000, 5_000, 30_000])('of %i characters is kept', (maxCharacters) => {
    const values = [
      { rows: rows(5_000) },
      'x'.repeat(100_000),
      { a: { b: { c: rows(2_000) } }, d: '*_[]<>`'.repeat(5_000) },
      Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`field ${n}`, n])),
    ];
    for (const data of values) {
      const { text } = aiViewOf({ data }, { maxCharacters });
      expect(text.length).toBeLessThanOrEqual(maxCharacters);
    }
  });

  it('states what it cost: how many there were, how many are shown, where the rest is', () => {
    const view = aiViewOf({ data: { rows: rows(10_000) } }, { maxCharacters: 3_000 });
    const cut = view.omitted.fields.find((omission) => omission.pointer === '/data/rows');
    expect(cut).toMatchObject({ unit: 'items', originalCount: 10_000 });
    expect(view.text).toContain('**rows** (10000):');
    expect(view.text).toContain(`*truncated: ${cut?.keptCount} of 10000 items shown at /data/rows*`);
    expect(view.text).toContain(`each can be read by its pointer from the stored result \`tr_${ULID}\``);
    expect(view.text.match(/^ {2}\| \d+ \|/gm)).toHaveLength(cut?.keptCount ?? 0);
  });

  it('never cuts a table inside a row', () => {
    const data = { rows: Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${id}`, value: id * 7 })) };
    for (const maxCharacters of [600, 1_111, 2_000, 5_000, 30_000]) {
      for (const preferredView of [null, 'table']) {
        const presentation = { summary: null, preferredView, title: null, primaryResourceId: null };
        const { text, omitted } = aiViewOf({ data, presentation }, { maxCharacters });
        const shown = [...text.matchAll(/^ *\| (\d+) \| (.*?) \| (.*?) \|$/gm)].map(([, ...cells]) => cells);
        expect(shown.length).toBeGreaterThan(3);
        expect(shown).toEqual(shown.map((_, id) => [`${id}`, `row ${id}`, `${id * 7}`]));
        const cut = { pointer: '/data/rows', unit: 'items', originalCount: 50_000, keptCount: shown.length };
        expect(omitted.fields).toEqual([cut]);
      }
    }
  });

  it('names the fields of an object that had no room, in the text and beside it, and advises no offset for them', () => {
    const data = {
      rows: rows(500),
      more: rows(500),
      names: Array.from({ length: 50 }, (_, n) => `name ${n}`),
      total: 9,
    };
    const { text, omitted } = aiViewOf({ data }, { maxCharacters: 400 });
    const cut = omitted.fields.find(({ unit }) => unit === 'fields');
    expect(cut).toMatchObject({ pointer: '/data', originalCount: 4, missing: expect.arrayContaining(['/data/rows']) });
    expect(cut?.missing).toHaveLength(4 - cut!.keptCount);
    expect(text).toContain(`of 4 fields shown at /data; not shown: ${cut?.missing?.join(', ')}`);
    expect(omitted.howToRead).toContain('of fields by the pointers in "missing" or all from offset=0');
    expect(omitted.howToRead).not.toContain('&offset=');
  });

  it('marks a cell that had no room, and says so below the table', () => {
    const data = Array.from({ length: 3 }, (_, id) => ({
      id,
      ...Object.fromEntries('abcdefg'.split('').map((key) => [key, key.repeat(70)])),
    }));
    const views = [900, 1_000, 1_100, 1_200, 1_400].map((maxCharacters) => aiViewOf({ data }, { maxCharacters }));
    for (const { text, omitted } of views) {
      for (const cut of omitted.fields.filter(({ unit }) => unit === 'fields')) {
        expect(text).toContain(`fields shown at ${cut.pointer}; not shown: ${cut.missing?.join(', ')}`);
      }
      expect(text).not.toMatch(/\| {2}\|/);
    }
    expect(views.some(({ text }) => text.includes('| … |'))).toBe(true);
  });

  it('states the loss of a long text and of nested content', () => {
    const deep = Array.from({ length: 20 }).reduce((inner) => ({ inner }), 'bottom' as unknown);
    const view = aiViewOf({ data: { text: 'y'.repeat(9_000), deep } }, { maxCharacters: 2_000 });
    expect(view.text).toMatch(/truncated: \d+ of 9000 characters shown at \/data\/text/);
    expect(view.omitted.fields.some((omission) => omission.unit === 'levels')).toBe(true);
  });

  it('is not spent when everything fits', () => {
    const view = aiViewOf({ data: { rows: rows(20) } });
    expect(view.omitted.fields).toEqual([]);
    expect(view.text).not.toContain('left out');
  });

  it('keeps status, error and summary before data', () => {
    const view = aiViewOf(
      {
        status: 'error',
        data: { rows: rows(5_000) },
        error: { ...TOOL_ERROR, details: { list: rows(5_000) } },
        presentation: { summary: 'It failed', preferredView: null, title: null, primaryResourceId: null },
      },
      { maxCharacters: 1_500 },
    );
    expect(view.text).toContain('— failed');
    expect(view.text).toContain('`INVALID_ARGUMENT`: time is not valid');
    expect(view.text).toContain('It failed');
    expect(view.omitted.fields.map((omission) => omission.pointer)).toContain('/error/details/list');
  });

  it.each([0, 1, 10, 50, 84])(
    'of %i characters is kept too, and what was lost is told beside the text',
    (maxCharacters) => {
      const { text, omitted } = aiViewOf({ data: { rows: rows(100) } }, { maxCharacters });
      expect(text.length).toBeLessThanOrEqual(maxCharacters);
      expect(omitted.resultId).toBe(`tr_${ULID}`);
      expect(omitted.fields).toContainEqual({ pointer: '/data', unit: 'fields', originalCount: 1, keptCount: 0 });
      expect(omitted.fields.at(-1)).toMatchObject({ pointer: '', unit: 'characters' });
      if (maxCharacters > 70) expect(text).toContain(`tr_${ULID}`);
    },
  );

  it.each([
    [20, '**Sample · Run** — …'],
    [40, '**Sample · Run** — failed\n\n`INVALID_ARG…'],
    [46, '**Sample · Run** — failed\n\n`INVALID_ARGUMENT`…'],
    [52, '**Sample · Run** — failed\n\n`INVALID_ARGUMENT`: (cut)'],
    [90, `**Sample · Run** — failed\n\n\`INVALID_ARGUMENT\`: ti (cut; see tr_${ULID})`],
  ])(
    'of %i characters keeps the tool, the status and the code of an error before a notice',
    (maxCharacters, expected) => {
      const error = { ...TOOL_ERROR, message: 'time is no time of any day' };
      const { text } = aiViewOf({ status: 'error', data: null, error }, { maxCharacters });
      expect(text).toBe(expected);
    },
  );

  it('shortens a long message where it stands, and says so', () => {
    const error = { ...TOOL_ERROR, message: '😀'.repeat(4_000) };
    const { text, content, omitted } = aiViewOf({ status: 'error', data: null, error }, { maxCharacters: 3_001 });
    expect(text.length).toBeLessThanOrEqual(3_001);
    expect(text.length).toBeGreaterThan(2_500);
    expect(text.isWellFormed()).toBe(true);
    const [cut] = omitted.fields;
    expect(cut).toMatchObject({ pointer: '/error/message', unit: 'characters', originalCount: 8_000 });
    expect(text).toContain(`*truncated: ${cut?.keptCount} of 8000 characters shown at /error/message*`);
    expect(content[0]).toEqual({ type: 'text', text });
  });

  it('is not eaten up by warnings: those that do not fit are counted', () => {
    const warnings = Array.from({ length: 50 }, (_, n) => ({
      code: `CODE_${n}`,
      message: 'm'.repeat(800),
      target: null,
      details: null,
    }));
    const view = aiViewOf({ data: { rows: rows(5) }, warnings }, { maxCharacters: 3_000 });
    expect(view.text).toContain('| 4 | row 4 | some words |');
    expect(view.text).toContain('- `CODE_0`: mmm');
    expect(view.text).not.toContain('undefined');
    expect(view.omitted.fields.find((omission) => omission.pointer === '/warnings')).toMatchObject({
      unit: 'items',
      originalCount: 50,
    });
  });

  it('bounds the work: 100,000 rows cost about what 1,000 do', () => {
    const time = (count: number): number => {
      const data = { rows: rows(count) };
      const started = performance.now();
      for (let turn = 0; turn < 3; turn += 1) aiViewOf({ data }, { maxCharacters: 5_000 });
      return performance.now() - started;
    };
    time(1_000);
    const small = time(1_000);
    expect(time(100_000)).toBeLessThan(small * 20 + 500);
  });
});
