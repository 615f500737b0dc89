// Real guests through everything that a call goes through but HTTP: runtime, transport, host functions, sandbox.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryPluginKvStore } from '../../../adapters/memory/memory-plugin-kv-store.ts';
import { openWasmHost } from '../../../adapters/node/wasm-host.ts';
import { createWorkerSandbox } from '../../../adapters/node/wasm/worker-sandbox.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { GuestText } from '../../support/guest-wat.ts';
import { callSample, createMemoryRuntime } from '../../support/memory-runtime.ts';
import { answersWith, answersWithHost } from '../../support/plain-guests.ts';
import { sandboxModule } from '../../support/sandbox-module.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { wasmManifest } from '../../support/wasm-runtime.ts';

const toClose: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const listen = async (address: string, listener: RequestListener): Promise<number> => {
  const server = createServer(listener).listen(0, address);
  await once(server, 'listening');
  toClose.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** A call of a plugin that may reach 127.0.0.2, as far as the operator is concerned. */
const call = async (guest: GuestText, fields: Record<string, unknown> = {}, options: { timeoutMs?: number } = {}) => {
  const host = openWasmHost({
    configuration: { VCP_OPEN_NETWORKS: ['127.0.0.2/32'] },
    values: createMemoryPluginKvStore(),
    limits: DEFAULT_LIMITS,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger: silentLogger,
    knownPaths: [],
    timeZone: 'UTC',
    configurationOf: () => ({}),
  });
  const sandbox = createWorkerSandbox({ limits: DEFAULT_LIMITS, logger: silentLogger });
  toClose.push(host.close, () => sandbox.close());
  const module = await sandboxModule(guest, DEFAULT_LIMITS.wasmMemoryPages);
  const transport = host.transportOver(sandbox, { load: () => Promise.resolve(module) });
  const runtime = createMemoryRuntime({ manifests: [wasmManifest(fields)], transport, limits: DEFAULT_LIMITS });
  return await callSample(runtime, {}, { options });
};
const http = (...ports: number[]) => ({ allow: ports.map((port) => ({ scheme: 'http', host: '*', port })) });
const asks = (url: string) => answersWithHost('http_request', JSON.stringify({ url }));
const endless: GuestText = { body: '(func (export "invoke") (result i32) (loop $a (br $a)) (i32.const 0))' };

describe('a call of a WebAssembly plugin', () => {
  it('gives what the guest answers', async () => {
    expect(await call(answersWith('from inside'))).toMatchObject({ status: 'success', data: 'from inside' });
  });

  it('follows no redirect to 127.0.0.1, though the manifest grants it', async () => {
    let reached = 0;
    const secret = await listen('127.0.0.1', (_, response) => {
      reached += 1;
      response.end('secret');
    });
    const open = await listen('127.0.0.2', (_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${secret}/` }).end();
    });
    const permissions = { http: http(open, secret) };
    const { data } = await call(asks(`http://127.0.0.2:${open}/`), { permissions });
    expect([data, reached]).toMatchObject([{ error: { code: 'BLOCKED_ADDRESS' } }, 0]);
  });

  it('reaches what is granted and open', async () => {
    const open = await listen('127.0.0.2', (_, response) => response.end('page'));
    const { data } = await call(asks(`http://127.0.0.2:${open}/`), { permissions: { http: http(open) } });
    expect(data).toMatchObject({ ok: { status: 200 }, bytes: { length: 4 } });
  });

  it('tells the guest what its manifest lacks', async () => {
    const { data } = (await call(asks('http://127.0.0.2:1/'))) as unknown as { data: { error: { message: string } } };
    expect(data.error.message).toMatch(/permissions/);
  });

  it('is a timeout when the guest has used up its fuel', async () => {
    const result = await call(endless, { limits: { fuel: 1_000_000 } });
    expect(result).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT', details: { limit: 'fuel', fuel: 1_000_000 } },
    });
  });

  it('is a timeout at its deadline, while the guest computes or holds a request open', async () => {
    const held = await listen('127.0.0.2', () => undefined);
    const results = [
      await call(endless, {}, { timeoutMs: 100 }),
      await call(asks(`http://127.0.0.2:${held}/`), { permissions: { http: http(held) } }, { timeoutMs: 300 }),
    ];
    expect(results[0]).toMatchObject({ status: 'timeout', error: { code: 'TOOL_TIMEOUT' } });
    // The request has the same deadline, so that the guest may hear of it before it is ended.
    expect(['timeout', 'success']).toContain(results[1]?.status);
  });
});
