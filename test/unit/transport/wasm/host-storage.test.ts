import { describe, expect, it } from 'vitest';
import { createMemoryPluginKvStore } from '../../../../adapters/memory/memory-plugin-kv-store.ts';
import { bytesOf, textOf, told } from '../../../support/guest-steps.ts';
import { callSample, success } from '../../../support/memory-runtime.ts';
import { guestSandbox } from '../../../support/scripted-sandbox.ts';
import { createWasmRuntime } from '../../../support/wasm-runtime.ts';

describe('kv_get and kv_set', () => {
  it('keep any JSON from one call to the next, and null removes it', async () => {
    const values = createMemoryPluginKvStore();
    const parts = { values };
    const value = { list: [1, 'zwei', null], deep: { 日: true } };
    expect(await told({ kv: true }, (host) => host('kv_get', { key: 'a' }), { parts })).toEqual({
      ok: { value: null },
    });
    expect(await told({ kv: true }, (host) => host('kv_set', { key: 'a', value }), { parts })).toEqual({ ok: null });
    expect(await told({ kv: true }, (host) => host('kv_get', { key: 'a' }), { parts })).toEqual({ ok: { value } });
    expect(await values.get('Sample', 'a')).toBe(JSON.stringify(value));
    await told({ kv: true }, (host) => host('kv_set', { key: 'a', value: null }), { parts });
    expect(await values.get('Sample', 'a')).toBeNull();
  });

  it.each([
    ['the manifest', { bytes: 300 }, {}],
    ['the server', { bytes: 99_999 }, { wasmKvBytes: 300 }],
  ])('are full where %s says so, which loses nothing', async (_, kv, limits) => {
    const set = (key: string, length: number) => ({ key, value: 'x'.repeat(length) });
    const answers = await told(
      { kv },
      async (host) => [
        await host('kv_set', set('a', 100)),
        await host('kv_set', set('b', 100)),
        await host('kv_set', set('a', 200)),
        await host('kv_set', set('c', 5_000_000)),
        await host('kv_get', { key: 'a' }),
      ],
      { limits },
    );
    const full = { error: { code: 'KV_FULL', message: expect.stringContaining('300 bytes') as string } };
    expect(answers).toEqual([{ ok: null }, full, full, full, { ok: { value: 'x'.repeat(100) } }]);
  });
});

describe('resource_write and resource_read', () => {
  it('write a resource that the result may name', async () => {
    const { sandbox } = guestSandbox(async ({ host }) => {
      const answer = await host('resource_write', { fileName: 'a.txt', mimeType: 'text/plain' }, bytesOf('hello'));
      const { resourceId } = (answer as { ok: { resourceId: string } }).ok;
      return success(null, { resources: [{ id: 'one', role: 'output', resourceId }] });
    });
    const result = await callSample(createWasmRuntime(sandbox, { fields: { permissions: { resources: ['write'] } } }));
    expect(result.error).toBeNull();
    expect(result.resources).toMatchObject([{ fileName: 'a.txt', mimeType: 'text/plain', sizeBytes: 5 }]);
  });

  it('read what the call wrote, whole or in parts', async () => {
    const parts = await told({ resources: ['read', 'write'] }, async (host) => {
      const answer = await host('resource_write', { fileName: 'a.txt', mimeType: 'text/plain' }, bytesOf('0123456789'));
      const { resourceId } = (answer as { ok: { resourceId: string } }).ok;
      const read = async (range: object) => {
        const got = await host('resource_read', { resourceId, ...range });
        return 'ok' in got ? [got.ok, textOf(got.bytes)] : got;
      };
      return [
        await read({}),
        await read({ offset: 8 }),
        await read({ offset: 2, length: 3 }),
        await read({ offset: 99 }),
      ];
    });
    const about = { size: 10, mimeType: 'text/plain', fileName: 'a.txt' };
    expect(parts).toEqual([
      [{ ...about, offset: 0 }, '0123456789'],
      [{ ...about, offset: 8 }, '89'],
      [{ ...about, offset: 2 }, '234'],
      [{ ...about, offset: 10 }, ''],
    ]);
  });

  it('read no more at once than a guest can be handed', async () => {
    const answer = await told(
      { resources: ['read', 'write'] },
      async (host) => {
        const { ok } = (await host('resource_write', {}, bytesOf('x'.repeat(600)))) as { ok: { resourceId: string } };
        return [
          await host('resource_read', { resourceId: ok.resourceId }),
          'ok' in (await host('resource_read', { resourceId: ok.resourceId, length: 500 })),
        ];
      },
      { limits: { wasmHostBytes: 1_000 } },
    );
    expect(answer).toMatchObject([{ error: { code: 'RESOURCE_TOO_LARGE' } }, true]);
  });

  it('write no more than that at the same time either', async () => {
    const answers = await told(
      { resources: ['write'] },
      (host) => Promise.all(['1', '2', '3', '4'].map((text) => host('resource_write', {}, bytesOf(text)))),
      { limits: { resourcesPerResult: 2 } },
    );
    const refused = { error: { code: 'LIMIT_REACHED' } };
    expect(answers).toMatchObject([{ ok: {} }, { ok: {} }, refused, refused]);
  });

  it('write as many as a result can have', async () => {
    const answers = await told(
      { resources: ['write'] },
      async (host) => [
        'ok' in (await host('resource_write', {}, bytesOf('1'))),
        'ok' in (await host('resource_write', {}, bytesOf('2'))),
        await host('resource_write', {}, bytesOf('3')),
      ],
      { limits: { resourcesPerResult: 2 } },
    );
    expect(answers).toMatchObject([true, true, { error: { code: 'LIMIT_REACHED' } }]);
  });
});
