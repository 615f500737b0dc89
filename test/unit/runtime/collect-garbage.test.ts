import { describe, expect, it } from 'vitest';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { createMemoryResourceStore } from '../../../adapters/memory/memory-resource-store.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { collectGarbage } from '../../../src/runtime/collect-garbage.ts';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const HOUR = 3_600_000;
const RESOURCE = { $ref: 'urn:vcp:schema:1.0:resource-input' };

const server = (limits: Record<string, number> = {}, answer: () => unknown = () => success(null)) => {
  let now = Date.parse('2026-11-30T12:00:00Z');
  const clock = { now: () => now, monotonic: () => performance.now() };
  const blobs = createMemoryResourceStore(clock.now);
  const calls = createMemoryCallStore();
  const app = createMemoryApp({
    manifests: [manifest({}, { inputSchema: { type: 'object', properties: { file: RESOURCE } } })],
    answer,
    blobs,
    calls,
    clock,
    limits,
    app: { clock },
  });
  const upload = async (body: string) =>
    (await (await app.send('/v1/resources', { method: 'POST', body })).json()) as ResourceDescriptor;
  const collect = (dryRun = false) => collectGarbage({ ...app, clock }, { dryRun });
  const pass = (hours: number) => void (now += hours * HOUR);
  const isThere = async ({ id, sha256 }: ResourceDescriptor) => [
    (await calls.getResource(id)) !== null,
    (await blobs.stat(sha256!)) !== null,
  ];
  return { ...app, upload, collect, pass, isThere };
};

const NOTHING = { results: 0, records: 0, resources: 0, blobs: 0, bytes: 0 };

describe('a collection', () => {
  it('removes uploads that have had their time, and their bytes, and counts them first', async () => {
    const { upload, collect, pass, isThere, logged } = server({ retainUploadsMs: 48 * HOUR });
    const old = await upload('hello');
    pass(30);
    const young = await upload('world');
    pass(19);
    const expected = { ...NOTHING, resources: 1, blobs: 1, bytes: 5 };
    expect(await collect(true)).toEqual({ ...expected, dryRun: true });
    expect(await isThere(old)).toEqual([true, true]);
    expect(await collect()).toEqual({ ...expected, dryRun: false });
    expect([await isThere(old), await isThere(young)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(await collect()).toEqual({ ...NOTHING, dryRun: false });
    expect(logged.filter(({ event }) => event === 'garbage.collected')).toMatchObject([{ fields: { blobs: 1 } }]);
  });

  it('keeps everything that no limit speaks of', async () => {
    const { upload, collect, pass, isThere, call } = server({ retainUploadsMs: 0 }, () =>
      success(null, { resources: [{ id: 'a', base64: 'AAAA' }] }),
    );
    const file = await upload('hello');
    await call({ tool: 'Sample' });
    pass(100_000);
    expect(await collect()).toEqual({ ...NOTHING, dryRun: false });
    expect(await isThere(file)).toEqual([true, true]);
  });

  it('removes results with their resources, and records, each by its own limit', async () => {
    const app = server({ retainResultsMs: 30 * HOUR, retainRecordsMs: 60 * HOUR }, () =>
      success(null, { resources: [{ id: 'a', base64: 'AAAA' }] }),
    );
    const result = (await (await app.call({ tool: 'Sample' })).json()) as {
      id: string;
      execution: { recordId: string };
      resources: ResourceDescriptor[];
    };
    app.pass(31);
    expect(await app.collect()).toEqual({ ...NOTHING, results: 1, resources: 1, blobs: 1, bytes: 3, dryRun: false });
    expect((await app.send(`/v1/results/${result.id}`)).status).toBe(404);
    expect(await app.isThere(result.resources[0]!)).toEqual([false, false]);
    expect((await app.send(`/v1/records/${result.execution.recordId}`)).status).toBe(200);
    app.pass(30);
    expect(await app.collect()).toEqual({ ...NOTHING, records: 1, dryRun: false });
  });

  it('keeps bytes that another resource still has', async () => {
    const { upload, collect, pass, isThere } = server({ retainUploadsMs: 48 * HOUR });
    const first = await upload('hello');
    pass(47);
    const second = await upload('hello');
    pass(10);
    expect(await collect()).toEqual({ ...NOTHING, resources: 1, dryRun: false });
    expect([await isThere(first), await isThere(second)]).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it('leaves bytes alone that were put a short while ago: their row is still to come', async () => {
    const { blobs, collect, pass } = server();
    const { sha256 } = await blobs.put(new TextEncoder().encode('on its way'), { maxBytes: 100 });
    pass(24);
    expect(await collect()).toEqual({ ...NOTHING, dryRun: false });
    await blobs.keep(sha256);
    pass(24);
    expect(await collect()).toEqual({ ...NOTHING, dryRun: false });
    pass(2);
    expect(await collect()).toEqual({ ...NOTHING, blobs: 1, bytes: 10, dryRun: false });
  });

  it('leaves alone what a running call was given, though its row has gone meanwhile', async () => {
    let end: (() => void) | undefined;
    const app = server({ retainUploadsMs: 48 * HOUR }, () => new Promise((done) => (end = () => done(success(1)))));
    const file = await app.upload('hello');
    app.pass(47);
    const running = app.call({ tool: 'Sample', arguments: { file: file.id } });
    while (end === undefined) await new Promise((done) => setTimeout(done, 1));
    app.pass(2);
    expect(await app.collect()).toEqual({ ...NOTHING, resources: 1, dryRun: false });
    expect(await new Response(await app.delivered[0]!.inputResources.get(file.id)!.open()).text()).toBe('hello');
    end();
    expect((await running).status).toBe(200);
  });

  it('of many things loses none and misses none', async () => {
    const { blobs, collect, pass, upload } = server({ retainUploadsMs: 200 * HOUR });
    const kept = await upload('kept');
    for (let index = 0; index < 450; index += 1)
      await blobs.put(new TextEncoder().encode(`loose ${index}`), { maxBytes: 100 });
    pass(26);
    expect((await collect()).blobs).toBe(450);
    expect(await blobs.stat(kept.sha256!)).not.toBeNull();
  });

  it('runs beside uploads of the same bytes without losing one', async () => {
    const { upload, collect, isThere, pass } = server({ retainUploadsMs: 26 * HOUR });
    await upload('again');
    for (let round = 0; round < 50; round += 1) {
      pass(27);
      const [file] = await Promise.all([upload('again'), collect(), collect()]);
      expect(await isThere(file)).toEqual([true, true]);
    }
  });
});

describe('POST /v1/resources/gc', () => {
  it('is for operators', async () => {
    const { send, upload, pass } = server({ retainUploadsMs: 48 * HOUR });
    await upload('hello');
    pass(49);
    const run = async (query: string, as: string) => {
      const response = await send(`/v1/resources/gc${query}`, { method: 'POST', as });
      return [response.status, (await response.json()) as unknown];
    };
    expect((await run('', 'alice'))[0]).toBe(403);
    const expected = { ...NOTHING, resources: 1, blobs: 1, bytes: 5 };
    expect(await run('?dryRun=true', 'operator')).toEqual([200, { ...expected, dryRun: true }]);
    const asked = async (body: string, type = 'application/json') => {
      const init = { method: 'POST', as: 'operator', body, headers: { 'content-type': type } };
      const response = await send('/v1/resources/gc', init);
      return [response.status, (await response.json()) as unknown];
    };
    expect(await asked('{"dryRun":true}')).toEqual([200, { ...expected, dryRun: true }]);
    for (const body of ['{"dryrun":true}', '{"dryRun":"true"}', '{"dryRun":', '[]'])
      expect([body, (await asked(body))[0]]).toEqual([body, 400]);
    expect((await asked('dryRun=true', 'application/x-www-form-urlencoded'))[0]).toBe(415);
    expect(await run('', 'operator')).toEqual([200, { ...expected, dryRun: false }]);
    expect((await run('?dryRun=yes', 'operator'))[0]).toBe(400);
  });
});
