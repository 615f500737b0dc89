import { describe, expect, it } from 'vitest';
import type { AiView } from '../../../src/present/ai/ai-view.ts';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('a stored result, shown to another model', () => {
  const app = createMemoryApp({
    answer: () =>
      success(
        { rows: Array.from({ length: 500 }, (_, id) => ({ id, note: 'words' })) },
        {
          resources: ['a', 'b'].map((id) => ({ id, base64: PIXEL, fileName: `${id}.png` })),
        },
      ),
  });
  const stored = (async () => {
    const response = await app.call({ tool: 'Sample' });
    return ((await response.json()) as { id: string }).id;
  })();
  const aiView = async (query = ''): Promise<AiView> =>
    (await (await app.send(`/v1/results/${await stored}?view=ai${query}`)).json()) as AiView;

  it('keeps to the budget that is asked for, and the tool runs once', async () => {
    expect((await aiView('&maxCharacters=1000')).text.length).toBeLessThanOrEqual(1_000);
    expect((await aiView()).text.length).toBeGreaterThan(5_000);
    expect((await aiView('&maxCharacters=200000')).text.length).toBeGreaterThan(5_000);
    expect(app.delivered).toHaveLength(1);
  });

  it('has as many resources as are asked for, for the senses that the model has', async () => {
    expect((await aiView()).content.map(({ type }) => type)).toEqual(['text', 'image', 'image']);
    expect((await aiView('&maxResources=1')).content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect((await aiView('&maxResources=1')).omitted.resources).toHaveLength(1);
    expect((await aiView('&vision=false')).content.map(({ type }) => type)).toEqual(['text']);
  });

  it('ends with the execution where that is asked for', async () => {
    expect((await aiView('&execution=true')).text).toMatch(/finished .* after .* ms\.$/);
  });

  it.each([
    '?maxCharacters=10',
    '?view=audit&vision=true',
    '?view=ai&maxCharacters=-1',
    '?view=ai&maxCharacters=200001',
    '?view=ai&vision=maybe',
  ])('is not asked for with %s', async (query) => {
    expect((await app.send(`/v1/results/${await stored}${query}`)).status).toBe(400);
  });
});
