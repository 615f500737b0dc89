import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { createMemoryApp, success, type MemoryApp } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

type Answer = { status: string; data: JsonObject; error: { code: string } | null; resources: { id: string }[] };

const appWith = async (payload: JsonObject): Promise<{ app: MemoryApp; resultId: string }> => {
  const app = createMemoryApp({
    manifests: [manifest()],
    builtIn: true,
    answer: () => payload,
    knownPaths: ['/strange/place'],
  });
  await app.plugins.reload();
  const { id } = (await (await app.call({ tool: 'Sample' })).json()) as { id: string };
  return { app, resultId: id };
};

const read = async (app: MemoryApp, args: JsonObject, as = 'alice'): Promise<Answer> =>
  (await (await app.call({ tool: 'ResultReader', arguments: args }, as)).json()) as Answer;

const rows = (count: number): JsonValue => Array.from({ length: count }, (_, id) => ({ id, note: 'words' }));

describe('the result reader', () => {
  it('is listed as a tool, with its schemas', async () => {
    const { app } = await appWith(success({}) as JsonObject);
    const { tools } = (await (await app.send('/v1/tools')).json()) as { tools: JsonObject[] };
    expect(tools.map(({ name }) => name)).toEqual(['ResultReader', 'Sample', 'TaskScheduler']);
    expect(tools[0]).toMatchObject({ commands: [{ commandIdentifier: 'ReadResult', idempotent: true }] });
  });

  it('pages through a list until there is no more', async () => {
    const { app, resultId } = await appWith(success({ rows: rows(250) }) as JsonObject);
    const seen: number[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { data } = await read(app, { resultId, pointer: '/data/rows', offset });
      expect(data).toMatchObject({ type: 'array', total: 250, offset });
      seen.push(...(data['value'] as { id: number }[]).map(({ id }) => id));
      offset = data['nextOffset'] as number | null;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, id) => id));
  });

  it('pages through a text and an object', async () => {
    const fields = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f${n}`, n]));
    const { app, resultId } = await appWith(success({ text: 'ab😀'.repeat(5_000), fields }) as JsonObject);
    let text = '';
    for (let offset: number | null = 0; offset !== null;) {
      const { data } = await read(app, { resultId, pointer: '/data/text', offset });
      text += data['value'] as string;
      offset = data['nextOffset'] as number | null;
    }
    expect(text).toBe('ab😀'.repeat(5_000));
    const first = await read(app, { resultId, pointer: '/data/fields' });
    expect(first.data).toMatchObject({ type: 'object', total: 150, nextOffset: 100 });
    const second = await read(app, { resultId, pointer: '/data/fields', offset: 100 });
    expect({ ...(first.data['value'] as object), ...(second.data['value'] as object) }).toEqual(fields);
    expect(second.data).toMatchObject({ nextOffset: null });
  });

  it('ends a page before an item that has no room, and says how to read one that never has', async () => {
    const large = { words: Array.from({ length: 5_000 }, (_, n) => `word ${n}`) };
    const { app, resultId } = await appWith(success({ list: [{ a: 1 }, large, { b: 2 }] }) as JsonObject);
    const first = await read(app, { resultId, pointer: '/data/list' });
    expect(first.data).toMatchObject({ value: [{ a: 1 }], nextOffset: 1, omitted: [] });
    const second = await read(app, { resultId, pointer: '/data/list', offset: 1 });
    expect(second.data).toMatchObject({
      nextOffset: 2,
      omitted: [{ pointer: '/data/list/1/words', unit: 'items', originalCount: 5_000 }],
    });
    const [cut] = second.data['omitted'] as { keptCount: number }[];
    const more = await read(app, { resultId, pointer: '/data/list/1/words', offset: cut!.keptCount, limit: 1 });
    expect(more.data['value']).toEqual([`word ${cut!.keptCount}`]);
    expect((await read(app, { resultId, pointer: '/data/list', offset: 2 })).data).toMatchObject({
      value: [{ b: 2 }],
      nextOffset: null,
    });
  });

  it('shows of a list within a page whole items only, and reads on where they ended', async () => {
    const list = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${id}`, value: id * 7 }));
    const { app, resultId } = await appWith(success({ title: 'all', rows: list }) as JsonObject);
    const { data } = await read(app, { resultId, pointer: '/data', offset: 1 });
    const { rows: shown } = data['value'] as { rows: typeof list };
    expect(shown).toEqual(list.slice(0, shown.length));
    expect(data['omitted']).toEqual([
      { pointer: '/data/rows', unit: 'items', originalCount: 50_000, keptCount: shown.length },
    ]);
    const more = await read(app, { resultId, pointer: '/data/rows', offset: shown.length, limit: 1 });
    expect(more.data['value']).toEqual([list[shown.length]]);
  });

  it('names the fields that a page has no room for', async () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, n]));
    const { app, resultId } = await appWith(success({ wide }) as JsonObject);
    const { data } = await read(app, { resultId, pointer: '/data' });
    const cut = (data['omitted'] as { unit: string; missing?: string[] }[]).find(({ unit }) => unit === 'fields');
    expect(cut?.missing).toHaveLength(16);
    const [first = ''] = cut?.missing ?? [];
    expect(`/data/wide/f${(await read(app, { resultId, pointer: first })).data['value'] as number}`).toBe(first);
  });

  it.each([
    ['/data/password', '"[redacted: secret]"'],
    ['/data', '{"password":"[redacted: secret]","log":"in [redacted: local path]","env":"[redacted: environment]"}'],
    ['/data/log', '"in [redacted: local path]"'],
    ['/data/env', '"[redacted: environment]"'],
    ['/data/env/PATH', undefined],
  ])('shows nothing at %s that a view would hide', async (pointer, expected) => {
    const data = { password: 'hunter22', log: 'in /strange/place/x', env: { PATH: '/usr/bin', A: 'b' } };
    const { app, resultId } = await appWith(success(data) as JsonObject);
    const { data: part, error } = await read(app, { resultId, pointer });
    if (expected === undefined) expect(error).toMatchObject({ code: 'RESULT.NOTHING_THERE' });
    else expect(JSON.stringify(part['value'])).toBe(expected);
  });

  it('shows what a view of the result shows since its caller had named it', async () => {
    const app = createMemoryApp({
      manifests: [manifest()],
      builtIn: true,
      answer: () => success({ said: 'read /home/nova/a.txt of /home/nova/b.txt' }) as JsonObject,
      knownPaths: ['/strange/place'],
    });
    await app.plugins.reload();
    const call = { tool: 'Sample', arguments: { file: '/home/nova/a.txt' } };
    const { id } = (await (await app.call(call)).json()) as { id: string };
    const { data } = await read(app, { resultId: id, pointer: '/data/said' });
    expect(data['value']).toBe('read /home/nova/a.txt of [redacted: local path]');
  });

  it('reads only what its caller owns', async () => {
    const { app, resultId } = await appWith(success({ a: 1 }) as JsonObject);
    expect((await read(app, { resultId }, 'bob')).error).toMatchObject({ code: 'RESULT.NOT_FOUND' });
    const other = resultId.slice(0, -1) + (resultId.endsWith('0') ? '1' : '0');
    expect((await read(app, { resultId: other })).error?.code).toBe('RESULT.NOT_FOUND');
    expect((await read(app, { resultId })).data['value']).toMatchObject({ id: resultId, data: { a: 1 } });
  });

  it('says what is wrong with a pointer', async () => {
    const { app, resultId } = await appWith(success({ list: [1] }) as JsonObject);
    for (const pointer of ['/data/nowhere', '/data/list/1', '/data/list/01', '/data/list/length', '/__proto__'])
      expect((await read(app, { resultId, pointer })).error?.code).toBe('RESULT.NOTHING_THERE');
    expect((await read(app, { resultId, pointer: 'data' })).error?.code).toBe('INVALID_ARGUMENT');
    expect((await read(app, { resultId, limit: 0 })).error?.code).toBe('INVALID_ARGUMENT');
  });

  it('brings the resources along that a page refers to', async () => {
    const payload = success(
      { picture: { $resource: 'p' } },
      { resources: [{ id: 'p', kind: 'text', mimeType: 'text/plain', base64: btoa('hello'), fileName: 'a.txt' }] },
    ) as JsonObject;
    const { app, resultId } = await appWith(payload);
    const { data, resources } = await read(app, { resultId, pointer: '/data/picture' });
    expect(resources).toHaveLength(1);
    expect(data['value']).toEqual({ $resource: resources[0]?.id });
    const bytes = await app.send(`/v1/resources/${resources[0]?.id}`);
    expect(await bytes.text()).toBe('hello');
  });

  it('is named where a view left something out, and what it gives is that', async () => {
    const { app, resultId } = await appWith(success({ rows: rows(10_000) }) as JsonObject);
    const view = (await (await app.send(`/v1/results/${resultId}?view=ai`)).json()) as {
      text: string;
      omitted: { fields: { pointer: string; keptCount: number }[] };
    };
    expect(view.text).toContain(`from the stored result \`${resultId}\`, with the tool ResultReader.`);
    const [cut] = view.omitted.fields;
    const { data } = await read(app, { resultId, pointer: cut!.pointer, offset: cut!.keptCount, limit: 1 });
    expect(data['value']).toEqual([{ id: cut!.keptCount, note: 'words' }]);
  });

  it('takes its name before any plugin, and can be switched off', async () => {
    const app = createMemoryApp({ manifests: [manifest({ name: 'ResultReader' })], builtIn: true });
    await app.plugins.reload();
    expect(app.registry.refused().map(({ reason }) => reason)).toEqual([
      'the name "ResultReader" is taken by the plugin in built-in:ResultReader',
    ]);
    await app.plugins.setEnabled('ResultReader', false, 'operator');
    const { error } = await read(app, { resultId: 'tr_01JABCDEFGHJKMNPQRSTVWXYZ0' });
    expect(error?.code).toBe('TOOL_DISABLED');
  });
});
