import { describe, expect, it } from 'vitest';
import { createMemoryApp, success, type MemoryApp } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;
const callOf = async (parts: MemoryApp, as = 'alice', tool = 'Sample') =>
  (await json(await parts.call({ tool }, as))) as { id: string; execution: { recordId: string } };

describe('a stored result', () => {
  const data = { rows: Array.from({ length: 25 }, (_, id) => ({ id })), text: 'abcdefghij', 'a/b': { '~': 1 } };
  const parts = createMemoryApp({ answer: () => success(data) });

  it('is read by its owner and by operators, by nobody else', async () => {
    const { id } = await callOf(parts);
    const statuses = await Promise.all(
      ['alice', 'operator', 'bob', 'limited'].map(async (as) => (await parts.send(`/v1/results/${id}`, { as })).status),
    );
    expect(statuses).toEqual([200, 200, 404, 404]);
    const other = await json(await parts.send(`/v1/results/${id}`, { as: 'bob' }));
    const none = await json(await parts.send(`/v1/results/${id.slice(0, -1)}!`, { as: 'bob' }));
    expect(Object.keys(other)).toEqual(Object.keys(none));
    expect(other['code']).toBe('NOT_FOUND');
  });

  it('is the one that the call answered with', async () => {
    const called = await callOf(parts);
    expect(await json(await parts.send(`/v1/results/${called.id}`))).toEqual(called);
  });

  it.each<[string, Record<string, unknown>]>([
    ['pointer=/data/rows&limit=10', { value: data.rows.slice(0, 10), offset: 0, total: 25, nextOffset: 10 }],
    ['pointer=/data/rows&offset=20&limit=10', { value: data.rows.slice(20), offset: 20, total: 25, nextOffset: null }],
    ['pointer=/data/rows&offset=15&limit=10', { value: data.rows.slice(15), offset: 15, total: 25, nextOffset: null }],
    ['pointer=/data/rows&offset=100', { value: [], offset: 100, total: 25, nextOffset: null }],
    ['pointer=/data/text&offset=2&limit=3', { value: 'cde', offset: 2, total: 10, nextOffset: 5 }],
    ['pointer=/data/rows/3/id', { value: 3, offset: 0, total: null, nextOffset: null }],
    ['pointer=/data/a~1b/~0', { value: 1 }],
    ['pointer=/error', { value: null }],
    ['view=workflow&pointer=/outputs/0', { view: 'workflow', value: { pointer: '/data', type: 'object' } }],
  ])('gives the part that %s asks for', async (query, expected) => {
    const { id } = await callOf(parts);
    expect(await json(await parts.send(`/v1/results/${id}?${query}`))).toMatchObject({ resultId: id, ...expected });
  });

  it.each([
    ['pointer=/data/nothing', 404],
    ['pointer=/data/constructor', 404],
    ['pointer=data', 400],
    ['pointer=/~', 400],
    ['view=raw', 400],
    ['limit=0', 400],
    ['limit=10001', 400],
    ['offset=-1', 400],
    ['page=2', 400],
  ])('answers to %s with %i', async (query, status) => {
    const { id } = await callOf(parts);
    expect((await parts.send(`/v1/results/${id}?${query}`)).status).toBe(status);
  });

  it('is redacted for the one who reads, not for the one who called', async () => {
    const secret = createMemoryApp({ answer: () => success({ token: 'a1B2c3D4' }) });
    const { id } = await callOf(secret);
    const read = async (as: string) =>
      (await json(await secret.send(`/v1/results/${id}?pointer=/data/token`, { as })))['value'];
    expect([await read('alice'), await read('operator')]).toEqual(['[redacted: secret]', 'a1B2c3D4']);
  });
});

describe('records', () => {
  const seeded = async () => {
    const parts = createMemoryApp({
      manifests: [manifest(), manifest({ name: 'Other' })],
      answer: ({ plugin }) => (plugin.manifest.displayName === '' ? null : success(null)),
    });
    for (const [as, tool] of [
      ['alice', 'Sample'],
      ['bob', 'Sample'],
      ['alice', 'Other'],
      ['alice', 'Nobody'],
    ] as const)
      await callOf(parts, as, tool);
    return parts;
  };
  const toolsOf = async (parts: MemoryApp, query: string, as = 'alice') =>
    ((await json(await parts.send(`/v1/records${query}`, { as })))['records'] as { toolName: string }[]).map(
      (record) => record.toolName,
    );

  it('are one’s own, newest first; an operator’s are all', async () => {
    const parts = await seeded();
    expect(await toolsOf(parts, '')).toEqual(['Nobody', 'Other', 'Sample']);
    expect(await toolsOf(parts, '', 'bob')).toEqual(['Sample']);
    expect(await toolsOf(parts, '', 'operator')).toEqual(['Nobody', 'Other', 'Sample', 'Sample']);
  });

  it.each([
    ['?tool=Other', ['Other']],
    ['?status=error', ['Nobody']],
    ['?actor=alice', ['Nobody', 'Other', 'Sample']],
    ['?actor=bob', []],
    ['?since=2020-01-01T00:00:00Z', ['Nobody', 'Other', 'Sample']],
    ['?until=2020-01-01T00:00:00Z', []],
  ])('are found by %s', async (query, expected) => {
    expect(await toolsOf(await seeded(), query)).toEqual(expected);
  });

  it('come in pages, each once', async () => {
    const parts = await seeded();
    const seen: string[] = [];
    let query = '?limit=1';
    for (let page = 0; page < 5; page += 1) {
      const { records, nextCursor } = (await json(await parts.send(`/v1/records${query}`))) as {
        records: { toolName: string }[];
        nextCursor: string | null;
      };
      seen.push(...records.map((record) => record.toolName));
      if (nextCursor === null) break;
      query = `?limit=1&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(seen).toEqual(['Nobody', 'Other', 'Sample']);
  });

  it.each(['?cursor=invented', '?limit=0', '?limit=1001', '?status=done', '?since=yesterday', '?owner=bob'])(
    'are not asked for with %s',
    async (query) => {
      const response = await (await seeded()).send(`/v1/records${query}`);
      expect([response.status, (await json(response))['code']]).toEqual([400, 'INVALID_REQUEST']);
    },
  );

  it('are read one by one by those who may', async () => {
    const parts = createMemoryApp();
    const { execution, id } = await callOf(parts);
    const statuses = await Promise.all(
      ['alice', 'operator', 'bob'].map(
        async (as) => (await parts.send(`/v1/records/${execution.recordId}`, { as })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 404]);
    expect(await json(await parts.send(`/v1/records/${execution.recordId}`))).toMatchObject({
      resultId: id,
      toolName: 'Sample',
      audit: { resultId: id },
    });
  });
});
