import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openWasmHost } from '../../adapters/node/wasm-host.ts';
import { createSqlPluginKvStore } from '../../adapters/sql/sql-plugin-kv-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { LogFields } from '../../src/ports/logger.ts';
import type { HostAnswer } from '../../src/ports/wasm-sandbox.ts';
import { callSample, createMemoryRuntime, success } from '../support/memory-runtime.ts';
import { guestSandbox, sandboxModule, type GuestScript } from '../support/scripted-sandbox.ts';
import { wasmManifest } from '../support/wasm-runtime.ts';

// What a guest reaches on Node: real sockets, a real database. Only the guest itself is a script.

const toClose: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const serve = async (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  address = '127.0.0.1',
): Promise<{ readonly url: string; readonly port: number }> => {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, address, done));
  toClose.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}`, port };
};

const openHost = async (
  options: {
    readonly networks?: readonly string[];
    readonly limits?: Partial<Limits>;
    readonly directory?: string;
  } = {},
) => {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'vcp-test-wasm-host-'));
  if (options.directory === undefined) toClose.push(() => rmSync(directory, { recursive: true, force: true }));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  const logged: LogFields[] = [];
  const log = (_: string, fields: LogFields = {}) => void logged.push(fields);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const host = openWasmHost({
    configuration: { VCP_OPEN_NETWORKS: [...(options.networks ?? [])] },
    values: createSqlPluginKvStore(db, writer),
    limits,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger: { debug: log, info: log, warn: log, error: log },
    knownPaths: ['/srv/vcp-data'],
    timeZone: 'UTC',
    configurationOf: () => ({}),
  });
  const closeAll = async () => {
    await host.close();
    await close();
  };
  const run = async (script: GuestScript, fields: Record<string, unknown>, signal?: AbortSignal) => {
    const transport = host.transportOver(guestSandbox(script).sandbox, { load: async () => sandboxModule() });
    const runtime = createMemoryRuntime({ manifests: [wasmManifest(fields)], transport, limits });
    return await callSample(runtime, {}, signal === undefined ? {} : { signal });
  };
  return { run, logged, close: closeAll };
};

/** What a guest that asks for one URL is told. */
const fetched = async (
  url: string,
  allow: readonly object[],
  {
    networks = ['127.0.0.1'],
    ...permission
  }: { readonly networks?: readonly string[]; readonly [name: string]: unknown } = {},
) => {
  const host = await openHost({ networks });
  toClose.push(host.close);
  const result = await host.run(
    async (guest) => {
      const answer = await guest.host('http_request', { url });
      return success(
        'ok' in answer ? { ...(answer.ok as object), text: new TextDecoder().decode(answer.bytes) } : answer,
      );
    },
    { permissions: { http: { allow, ...permission } } },
  );
  return result.data as Extract<HostAnswer, { error: object }> & { readonly text?: string; readonly status?: number };
};
const loopback = (port: number, more: object = {}) => ({ scheme: 'http', host: '127.0.0.1', port, ...more });

describe('HTTP of a guest', () => {
  it('reaches what its manifest names', async () => {
    const { url, port } = await serve((request, response) => response.end(`${request.method} ${request.url}`));
    expect(await fetched(`${url}/a?b`, [loopback(port)])).toMatchObject({ status: 200, text: 'GET /a?b' });
  });

  it('reaches no address of this machine or its networks, whatever the manifest names', async () => {
    let reached = 0;
    const { url, port } = await serve((_, response) => {
      reached += 1;
      response.end('secret');
    });
    const everything = [loopback(port), { scheme: 'http', host: '*', port }, { scheme: 'http', host: '*' }];
    for (const target of [
      url,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      'http://169.254.169.254/',
      'http://10.0.0.1/',
    ]) {
      expect(await fetched(target, everything, { networks: [] })).toMatchObject({ error: { code: 'BLOCKED_ADDRESS' } });
    }
    expect(reached).toBe(0);
  });

  it('follows no redirect to an address of this machine', async () => {
    let reached = 0;
    const inner = await serve((_, response) => {
      reached += 1;
      response.end('secret');
    }, '127.0.0.2');
    const { url, port } = await serve((_, response) => response.writeHead(302, { location: `${inner.url}/` }).end());
    const everything = [loopback(port), { scheme: 'http', host: '*', port: inner.port }];
    expect(await fetched(url, everything)).toMatchObject({ error: { code: 'BLOCKED_ADDRESS' } });
    expect(reached).toBe(0);
  });

  it('follows redirects inside of what its manifest names, and no others', async () => {
    let reached = 0;
    const other = await serve((_, response) => {
      reached += 1;
      response.end('other');
    });
    const { url, port } = await serve((request, response) => {
      if (request.url === '/inside') response.writeHead(302, { location: '/here' }).end();
      else if (request.url === '/outside') response.writeHead(302, { location: `${other.url}/?token=hidden` }).end();
      else response.end('here');
    });
    expect(await fetched(`${url}/inside`, [loopback(port)])).toMatchObject({
      status: 200,
      text: 'here',
      url: `${url}/here`,
    });
    const refused = await fetched(`${url}/outside`, [loopback(port)]);
    expect(refused).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(refused.error.message).toContain(`127.0.0.1:${other.port} is not granted`);
    expect(refused.error.message).not.toContain('hidden');
    expect(reached).toBe(0);
    expect(await fetched(`${url}/outside`, [loopback(port), loopback(other.port)])).toMatchObject({ text: 'other' });
  });

  it('ends at its bound of bytes, and of time', async () => {
    const large = await serve((_, response) => response.end('x'.repeat(10_000)));
    expect(await fetched(large.url, [loopback(large.port)], { bytes: 5_000 })).toMatchObject({
      error: { code: 'TOO_LARGE' },
    });
    const silent = await serve(() => undefined);
    expect(await fetched(silent.url, [loopback(silent.port)], { timeoutMs: 100 })).toMatchObject({
      error: { code: 'TIMEOUT' },
    });
  });

  it('ends with the call of the guest, which holds nothing open', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((done) => (closed = done));
    let begun: () => void = () => undefined;
    const started = new Promise<void>((done) => (begun = done));
    const { url, port } = await serve((request) => {
      request.socket.on('close', closed);
      begun();
    });
    const host = await openHost({ networks: ['127.0.0.1'] });
    toClose.push(host.close);
    const controller = new AbortController();
    const calling = host.run(
      async (guest) => {
        await guest.host('http_request', { url });
        guest.run.signal.throwIfAborted();
        return success(null);
      },
      { permissions: { http: { allow: [loopback(port)] } } },
      controller.signal,
    );
    await started;
    controller.abort();
    expect(await calling).toMatchObject({ status: 'cancelled' });
    await gone;
  });
});

it('keeps the values of a guest in the database, for the next server too', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-wasm-host-'));
  toClose.push(() => rmSync(directory, { recursive: true, force: true }));
  const fields = { permissions: { kv: true } };
  const count: GuestScript = async ({ host }) => {
    const { ok } = (await host('kv_get', { key: 'count' })) as { ok: { value: number | null } };
    const value = (ok.value ?? 0) + 1;
    await host('kv_set', { key: 'count', value });
    return success(value);
  };
  const first = await openHost({ directory });
  expect((await first.run(count, fields)).data).toBe(1);
  expect((await first.run(count, fields)).data).toBe(2);
  await first.close();
  const second = await openHost({ directory });
  expect((await second.run(count, fields)).data).toBe(3);
  expect((await second.run(count, { ...fields, name: 'Sample' })).data).toBe(4);
  await second.close();
});

it('takes secrets and the directories of the server out of what a guest logs', async () => {
  const host = await openHost();
  toClose.push(host.close);
  const message = 'read /srv/vcp-data/x with Authorization: Bearer abcDEF1234567890';
  await host.run(
    async (guest) => {
      await guest.host('log', { level: 'error', message });
      return success(null);
    },
    { permissions: { log: true } },
  );
  expect(host.logged).toMatchObject([
    { toolName: 'Sample', message: expect.stringContaining('[redacted: ') as string },
  ]);
  expect(JSON.stringify(host.logged)).not.toMatch(/vcp-data|abcDEF/);
});

it('tells a guest the zone of the server, and another seed at each call', async () => {
  const host = await openHost();
  toClose.push(host.close);
  const seen = async () =>
    (await host.run(async ({ input }) => success(input.context), {})).data as Record<string, unknown>;
  const [one, two] = [await seen(), await seen()];
  expect(one['timeZone']).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(one['seed']).not.toBe(two['seed']);
});
