// WebAssembly plugins of a real server: found in its folders, refused with a reason, called over HTTP, replaced.
import { once } from 'node:events';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RefusedPlugin } from '../../src/protocol/tool-description.ts';
import { compileGuest, type GuestText } from '../support/guest-wat.ts';
import { manifestOf } from '../support/manifest.ts';
import { answersWith, answersWithHost } from '../support/plain-guests.ts';
import { textToWasm } from '../support/wasm/text-to-wasm.ts';
import { startServerProcess, temporaryHome, vcp, type ServerProcess } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const home = temporaryHome();
const toClose: (() => void)[] = [];
let server: ServerProcess;

const fileOf = (name: string) => join(home.plugins, name, 'plugin.wasm');
/** Replaces a file as a careful tool does: whole, or not at all. */
const put = (path: string, bytes: Uint8Array | string) => {
  writeFileSync(`${path}.tmp`, bytes);
  renameSync(`${path}.tmp`, path);
};
const write = async (name: string, guest: GuestText | Uint8Array, more: Record<string, unknown> = {}) => {
  mkdirSync(join(home.plugins, name), { recursive: true });
  const manifest = manifestOf({
    name,
    more: {
      entryPoint: { type: 'wasm', file: 'plugin.wasm' },
      communication: { protocol: 'direct', timeoutMs: 15_000 },
      ...more,
    },
  });
  writeFileSync(fileOf(name), guest instanceof Uint8Array ? guest : compileGuest(guest));
  writeFileSync(join(home.plugins, name, 'plugin-manifest.json'), JSON.stringify(manifest));
};

/** A server of the tests on an address of this machine. */
const listen = async (address: string, listener: RequestListener): Promise<number> => {
  const opened = createServer(listener).listen(0, address);
  await once(opened, 'listening');
  toClose.push(() => {
    opened.closeAllConnections();
    opened.close();
  });
  return (opened.address() as AddressInfo).port;
};

const held: (() => void)[] = [];
const reached: string[] = [];

beforeAll(async () => {
  const secret = await listen('127.0.0.1', (_, response) => {
    reached.push('127.0.0.1');
    response.end('not for plugins');
  });
  const open = await listen('127.0.0.2', ({ url }, response) => {
    if (url === '/held') held.push(() => response.end('late'));
    else response.writeHead(302, { location: `http://127.0.0.1:${secret}/` }).end();
  });
  const asks = (port: number, host: string, path: string) =>
    answersWithHost('http_request', JSON.stringify({ url: `http://${host}:${port}${path}` }));
  const http = {
    allow: [
      { scheme: 'http', host: '*', port: open },
      { scheme: 'http', host: '*', port: secret },
    ],
  };
  await write('Word', answersWith('one'));
  await write('Held', asks(open, '127.0.0.2', '/held'), { permissions: { http } });
  await write('Redirected', asks(open, '127.0.0.2', '/away'), { permissions: { http } });
  await write('Private', asks(secret, '127.0.0.1', '/'), { permissions: { http } });
  await write('Ungranted', asks(open, '127.0.0.2', '/away'));
  await write('Keeps', answersWithHost('kv_set', '{"key":"a","value":{"n":1}}'), { permissions: { kv: true } });
  await write('Kept', answersWithHost('kv_get', '{"key":"a"}'), { permissions: { kv: true } });
  const endless = { body: '(func (export "invoke") (result i32) (loop $again (br $again)) (i32.const 0))' };
  await write('Endless', endless, { limits: { fuel: 4_000_000_000 } });
  await write('Garbage', new TextEncoder().encode('not a module'));
  await write('NoEntry', { body: '(func (export "main") (result i32) (i32.const 0))' });
  await write('Foreign', textToWasm(WASI));
  await write('Linked', answersWith('linked'));
  const elsewhere = join(home.root, 'elsewhere.wasm');
  renameSync(fileOf('Linked'), elsewhere);
  symlinkSync(elsewhere, fileOf('Linked'));
  server = await startServerProcess(home, { VCP_OPEN_NETWORKS: '127.0.0.2/32' });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  for (const close of toClose) close();
  home.remove();
});

/** Imports something that no sandbox of ours gives. */
const WASI = `(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
  (func (export "invoke") (result i32) (i32.const 0)))`;

const refused = async (): Promise<Record<string, string>> => {
  const listed = (await (await server.request('/v1/tools?include=refused')).json()) as { refused: RefusedPlugin[] };
  return Object.fromEntries(listed.refused.map(({ name, reason }) => [name ?? '', reason]));
};
const call = (tool: string, options: object = {}) => server.call(tool, {}, options);

describe('a server with WebAssembly plugins', () => {
  it('answers a call of one', async () => {
    expect(await call('Word')).toMatchObject({ status: 'success', data: 'one' });
  });

  it('ends one that never ends, by its fuel', async () => {
    expect(await call('Endless')).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT', details: { limit: 'fuel' } },
    });
  });

  it('ends one at its deadline', async () => {
    const { status, error } = await call('Endless', { timeoutMs: 100 });
    expect([status, error?.code]).toEqual(['timeout', 'TOOL_TIMEOUT']);
    expect(error?.details).not.toMatchObject({ limit: 'fuel' });
  });

  it.each([
    ['Garbage', /its module is not accepted: /],
    ['NoEntry', /its module exports no function "invoke"/],
    ['Foreign', /its module is not accepted: .*wasi/],
    ['Linked', /a link out of its folder/],
  ])('refuses %s with the reason', async (name, reason) => {
    expect((await refused())[name]).toMatch(reason);
  });

  it('says in doctor why one would be refused', async () => {
    const { stdout } = await vcp(home, ['doctor'], { VCP_PLUGIN_DIRS: home.plugins, VCP_PORT: '1' });
    expect(stdout).toMatch(/NoEntry would be refused: its module exports no function "invoke"/);
  });

  it('lets a plugin reach nothing private, by a redirect neither', async () => {
    for (const tool of ['Redirected', 'Private']) {
      const { data } = (await call(tool)) as unknown as { data: { error: { code: string } } };
      expect([tool, data.error.code]).toEqual([tool, 'BLOCKED_ADDRESS']);
    }
    expect((await call('Ungranted')).data).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(reached).toEqual([]);
  });

  it('keeps the values of each plugin apart', async () => {
    expect((await call('Keeps')).data).toEqual({ ok: null });
    expect((await call('Kept')).data).toEqual({ ok: { value: null } });
  });

  it('takes a changed module over, and lets running calls end on the old one', async () => {
    held.length = 0;
    const running = call('Held');
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
    put(fileOf('Held'), compileGuest(answersWith('new')));
    put(fileOf('Word'), compileGuest(answersWith('two')));
    await expect.poll(async () => (await call('Word')).data, { timeout: 20_000 }).toBe('two');
    expect((await call('Held')).data).toBe('new');
    held[0]?.();
    expect((await running).data).toMatchObject({ ok: { status: 200 } });
    // A broken one changes nothing.
    put(fileOf('Word'), 'broken');
    await expect.poll(async () => (await refused())['Word'], { timeout: 20_000 }).toMatch(/not accepted/);
    expect((await call('Word')).data).toBe('two');
  });

  it('tells of its threads in its figures', async () => {
    const text = await (await server.request('/metrics')).text();
    expect(text).toMatch(/vcp_\w*processes\{[^}]*mode="wasm"[^}]*\} [1-9]/);
  });
});
