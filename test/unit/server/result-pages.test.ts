import { describe, expect, it } from 'vitest';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';

const TEXT = '😀a😀😀b漢👩‍👩‍👧é😀';
const parts = createMemoryApp({ answer: () => success({ text: TEXT, items: [1, 2, 3, 4, 5, 6, 7] }) });
const jsonOf = async (response: Response) => (await response.json()) as Record<string, unknown>;
const resultId = async () => String((await jsonOf(await parts.call({ tool: 'Sample' })))['id']);

/** Every page from the first to the last, by the offsets that the pages themselves name. */
const pagesOf = async <Value>(pointer: string, limit: number): Promise<Value[]> => {
  const id = await resultId();
  const pages: Value[] = [];
  let offset: number | null = 0;
  while (offset !== null && pages.length < 100) {
    const query: string = `pointer=${pointer}&limit=${limit}&offset=${offset}`;
    const page = (await jsonOf(await parts.send(`/v1/results/${id}?${query}`))) as {
      value: Value;
      nextOffset: number | null;
    };
    pages.push(page.value);
    offset = page.nextOffset;
  }
  return pages;
};

describe('the pages of a text', () => {
  it.each([1, 2, 3, 5, 1_000])('of %i characters split no character and join to the whole', async (limit) => {
    const pages = await pagesOf<string>('/data/text', limit);
    expect(pages.join('')).toBe(TEXT);
    expect(pages.filter((page) => !page.isWellFormed() || page === '')).toEqual([]);
  });

  it('begin with the whole character when an offset falls inside it', async () => {
    const id = await resultId();
    expect(await jsonOf(await parts.send(`/v1/results/${id}?pointer=/data/text&offset=1&limit=2`))).toMatchObject({
      value: '😀a',
      offset: 0,
      total: TEXT.length,
      nextOffset: 3,
    });
  });

  it('are empty beyond the end', async () => {
    const id = await resultId();
    expect(await jsonOf(await parts.send(`/v1/results/${id}?pointer=/data/text&offset=9999`))).toMatchObject({
      value: '',
      nextOffset: null,
    });
  });
});

it.each([1, 3, 7])('the pages of a list by %i join to the whole', async (limit) => {
  expect((await pagesOf<number[]>('/data/items', limit)).flat()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

describe('the pages of an object', () => {
  const fields = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`f${n}`, { n }]));
  const wide = createMemoryApp({ answer: () => success(fields) });

  it('have so many fields in their order, and say where the next begins', async () => {
    const id = String((await jsonOf(await wide.call({ tool: 'Sample' })))['id']);
    const page = async (query: string) => await jsonOf(await wide.send(`/v1/results/${id}?pointer=/data${query}`));
    expect(await page('&offset=1&limit=2')).toEqual({
      resultId: id,
      view: 'canonical',
      pointer: '/data',
      value: { f1: { n: 1 }, f2: { n: 2 } },
      offset: 1,
      total: 7,
      nextOffset: 3,
    });
    expect(await page('&offset=6&limit=2')).toMatchObject({ value: { f6: { n: 6 } }, nextOffset: null });
    expect(await page('&offset=9')).toMatchObject({ value: {}, offset: 9, nextOffset: null });
    expect(await page('')).toMatchObject({ value: fields, offset: 0, total: 7, nextOffset: null });
    expect(await page('/f0/n&offset=3')).toMatchObject({ value: 0, offset: 0, total: null, nextOffset: null });
  });
});

it.each(['offset=0', 'limit=1', 'offset=1&limit=3'])(
  'a page of nothing in particular is refused: %s',
  async (query) => {
    const response = await parts.send(`/v1/results/${await resultId()}?${query}`);
    expect([response.status, await jsonOf(response)]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', errors: [{ pointer: '/pointer' }] },
    ]);
  },
);
