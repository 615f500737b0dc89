import { env } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createWorker } from '../../adapters/cloudflare/create-worker.ts';
import type { DeployedPlugin } from '../../adapters/cloudflare/deployed-plugins.ts';
import { readWorkerConfiguration } from '../../adapters/cloudflare/read-worker-configuration.ts';
import { manifest } from '../support/sample-values.ts';

const KEY = 'a-key-for-the-worker';
const SECRETS = { VCP_API_KEY: KEY, VCP_SIGNING_KEY: 'a-signing-key-for-tests-of-the-worker', VCP_LOG_LEVEL: 'error' };

const plugin = (more: Partial<DeployedPlugin>, fields: Record<string, unknown> = {}): DeployedPlugin => ({
  location: 'plugins/Sample/plugin-manifest.json',
  manifest: JSON.stringify(manifest(fields)),
  refusal: null,
  configuration: {},
  ...more,
});

const open = (plugins: readonly DeployedPlugin[] = [], variables: Record<string, string> = {}) => {
  const waiting: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };
  const documents = { load: () => ({ openapi: {}, schemas: new Map<string, unknown>() }) };
  const worker = createWorker({ plugins, documents, version: '9.9.9', ...context });
  const bindings = { ...SECRETS, ...variables, RESOURCES: env.RESOURCES, DATABASE: env.DATABASE };
  const fetch = (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...init.headers };
    return worker.fetch(new Request(`https://edge.example${path}`, { ...init, headers }), bindings, context);
  };
  return { worker, fetch, bindings, context, waiting };
};
const body = (tool: string) => ({ method: 'POST', body: JSON.stringify({ tool, arguments: {} }) });

describe('a worker', () => {
  it('calls a module that was bundled, and addresses resources where it was reached', async () => {
    const module = {
      processToolCall: async (
        _: unknown,
        { resourceWriter, requestIp }: { resourceWriter: ResourceWriter; requestIp: string },
      ) => ({
        status: 'success',
        data: { requestIp, file: { $resource: 'a' } },
        resources: [
          { id: 'a', resourceId: await resourceWriter.write(new TextEncoder().encode('bytes'), { fileName: 'a.txt' }) },
        ],
      }),
    };
    const { fetch, waiting } = open([
      plugin({ module: module as never }, { entryPoint: { type: 'module', file: 'main.mjs' } }),
    ]);
    const answer = await fetch('/v1/human/tool', { ...body('Sample'), headers: { 'cf-connecting-ip': '203.0.113.9' } });
    expect(await answer.clone().json()).toMatchObject({
      status: 'success',
      data: { requestIp: '203.0.113.9' },
      origin: { requestIp: '203.0.113.9' },
    });
    const { resources } = (await answer.json()) as { resources: { url: string }[] };
    expect(resources[0]?.url).toMatch(/^https:\/\/edge\.example\/v1\/resources\/res_/);
    expect(await (await fetch(new URL(resources[0]?.url ?? '').pathname)).text()).toBe('bytes');
    // The platform is told of every request, so that none is cut off with its client; and of where the first one came in.
    expect(waiting).toHaveLength(3);
  });

  it('tells of what the build left out, and of a plugin whose module does not come with it', async () => {
    const { fetch } = open([
      plugin({ refusal: 'it was left out' }, { entryPoint: { type: 'module', file: 'main.mjs' } }),
    ]);
    const { refused } = (await (await fetch('/v1/tools?include=refused')).json()) as { refused: unknown[] };
    expect(refused).toEqual([
      { name: 'Sample', location: 'plugins/Sample/plugin-manifest.json', reason: 'it was left out', issues: [] },
    ]);
    const bare = open([plugin({}, { entryPoint: { type: 'wasm', file: 'plugin.wasm' } })]);
    const called = (await (await bare.fetch('/v1/human/tool', body('Sample'))).json()) as { error: unknown };
    expect(called.error).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: 'the plugin was deployed without its module',
    });
  });

  it('removes what has had its time when the platform wakes it', async () => {
    const module = { processToolCall: () => ({ status: 'success', data: null }) };
    const { worker, bindings, context, fetch } = open(
      [plugin({ module }, { entryPoint: { type: 'module', file: 'main.mjs' } })],
      { VCP_LIMIT_RETAIN_RESULTS_MS: '1' },
    );
    const { id } = (await (await fetch('/v1/human/tool', body('Sample'))).json()) as { id: string };
    expect((await fetch(`/v1/results/${id}`)).status).toBe(200);
    await new Promise((later) => setTimeout(later, 20));
    await worker.scheduled({}, bindings, context);
    expect((await fetch(`/v1/results/${id}`)).status).toBe(404);
  });

  it('is not ready without its stores, and says so to its log alone', async () => {
    const { worker, context } = open();
    const request = new Request('https://edge.example/v1/tools');
    const answer = await worker.fetch(request, { ...SECRETS } as never, context);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'NOT_READY',
        detail: 'the worker is not configured as it must be; its log says why',
      }),
    ]);
  });
});

type ResourceWriter = { write(bytes: Uint8Array, options: object): Promise<string> };

describe('the configuration of a worker', () => {
  it('names each secret that is missing', () => {
    expect(readWorkerConfiguration({})).toEqual({
      ok: false,
      errors: [
        { name: 'VCP_API_KEY', message: 'is not set; "wrangler secret put VCP_API_KEY" sets it' },
        { name: 'VCP_SIGNING_KEY', message: 'is not set; "wrangler secret put VCP_SIGNING_KEY" sets it' },
      ],
    });
  });

  it('is that of every server, but for smaller guests', () => {
    const read = readWorkerConfiguration({ ...SECRETS, VCP_TIMEZONE: 'Asia/Shanghai', VCP_TYPO: '1' });
    expect(read).toMatchObject({
      ok: true,
      configuration: { VCP_TIMEZONE: 'Asia/Shanghai', VCP_SERVER_ID: 'local' },
      limits: { wasmMemoryPages: 512, wasmFuel: 5_000_000_000, frameBytes: 16_777_216 },
      warnings: [{ name: 'VCP_TYPO' }],
    });
    const asking = { VCP_INBOX_URL: 'https://inbox.example', VCP_INBOX_KEY: 'a-key-of-the-receiver' };
    expect(readWorkerConfiguration({ ...SECRETS, ...asking })).toMatchObject({
      ok: true,
      warnings: [{ name: 'VCP_INBOX_URL', message: expect.stringContaining('is not heeded') as string }],
    });
    const larger = readWorkerConfiguration({ ...SECRETS, VCP_LIMIT_WASM_MEMORY_PAGES: '64' });
    expect(larger).toMatchObject({ ok: true, limits: { wasmMemoryPages: 64 } });
  });

  it('takes no keys that it cannot read whole', () => {
    expect(readWorkerConfiguration({ ...SECRETS, VCP_API_KEYS: '{"version": 1}' })).toMatchObject({
      ok: false,
      errors: [{ name: 'VCP_API_KEYS', message: expect.stringContaining('/keys') as string }],
    });
  });
});
