// What `vcp edge build` writes, run by the runtime of Cloudflare: what is left out and why, and what a worker must do
// that no other server has to.
import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { compileGuest, type GuestText } from '../support/guest-wat.ts';
import { manifestOf, repositoryRoot } from '../support/manifest.ts';
import { answersWith, answersWithHost } from '../support/plain-guests.ts';
import { processesLeft, until } from '../support/processes.ts';
import { cleanEnvironment, temporaryHome, vcp, writePlugin, type CommandRun } from '../support/server-process.ts';
import { startWorker, type RunningWorker } from '../support/workerd/start-worker.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const run = promisify(execFile);
const home = temporaryHome();
const out = join(home.root, 'edge');
const stores = join(home.root, 'stores');
const API_KEY = 'a-key-for-the-worker';
const OTHER_KEY = 'a-key-that-is-only-known-by-its-hash';
const KEYS = {
  version: 1,
  defaultKey: true,
  keys: [
    {
      id: 'key_other',
      name: 'other',
      sha256: hash('sha256', OTHER_KEY),
      roles: ['human'],
      tools: ['Constant'],
      rateLimit: null,
      toolRateLimits: {},
      createdAt: '2026-11-30T00:00:00Z',
    },
  ],
};
const VARIABLES = {
  VCP_API_KEY: API_KEY,
  VCP_SIGNING_KEY: 'a-signing-key-of-the-worker-for-tests',
  VCP_API_KEYS: JSON.stringify(KEYS),
  VCP_OPEN_NETWORKS: '127.0.0.1',
  VCP_LIMIT_WASM_FUEL: '200000000',
};

/** Answers after a moment; counts. */
let outside: Server;
let asked = 0;
let build: CommandRun;
let worker: RunningWorker;

const guest = (name: string, text: GuestText, more: Record<string, unknown> = {}) => {
  const directory = join(home.plugins, name);
  mkdirSync(directory, { recursive: true });
  const manifest = manifestOf({
    name,
    more: {
      entryPoint: { type: 'wasm', file: 'plugin.wasm' },
      communication: { protocol: 'direct', timeoutMs: 15_000, concurrency: 16 },
      ...more,
    },
  });
  writeFileSync(join(directory, 'plugin.wasm'), compileGuest(text));
  writeFileSync(join(directory, 'plugin-manifest.json'), JSON.stringify(manifest));
};

beforeAll(async () => {
  outside = createServer((request, response) => {
    asked += 1;
    setTimeout(() => response.end(`page ${request.url}`), 100);
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const { port } = outside.address() as AddressInfo;
  const reach = (host: string) =>
    answersWithHost('http_request', JSON.stringify({ method: 'GET', url: `http://${host}:${port}/` }));
  const granted = (host: string) => ({
    permissions: { http: { allow: [{ scheme: 'http', host, port, methods: ['GET'] }] } },
  });

  guest('Constant', answersWith({ constant: true }));
  guest('Spinner', { body: '(func (export "invoke") (result i32) (loop $a (br $a)) (i32.const 0))' });
  guest('Reaching', reach('127.0.0.1'), granted('127.0.0.1'));
  guest('Inwards', reach('localhost'), granted('localhost'));
  guest('Private', reach('10.1.2.3'), granted('10.1.2.3'));
  guest('Greeting', answersWithHost('config_get', '{"key":"GREETING"}'), {
    permissions: { config: ['GREETING'] },
    configSchema: { type: 'object', properties: { GREETING: { type: 'string' } } },
  });
  writeFileSync(join(home.plugins, 'Greeting', 'config.env'), 'GREETING=servus\n');
  guest('Hungry', answersWith({}), { limits: { memoryPages: 2_000 } });
  const counting = writePlugin(home.plugins, {
    name: 'Counting',
    module: 'main.mjs',
    commandMore: { idempotent: true },
    moduleText: `let calls = 0;
export const processToolCall = async () => {
  calls += 1;
  await new Promise((done) => setTimeout(done, 200));
  return { status: 'success', data: { calls } };
};\n`,
  });
  const reading = writePlugin(home.plugins, {
    name: 'Reading',
    module: 'main.mjs',
    moduleText:
      "import { readFileSync } from 'node:fs';\nexport const processToolCall = () => ({ status: 'success', data: String(readFileSync) });\n",
  });
  writePlugin(home.plugins, {
    name: 'Untrusted',
    module: 'main.mjs',
    moduleText: "export const processToolCall = () => ({ status: 'success', data: 1 });\n",
  });
  writePlugin(home.plugins, { name: 'Process', command: 'sh' });
  build = await vcp(home, ['edge', 'build', '--plugins', home.plugins, '--out', out, '--json'], {
    VCP_TRUSTED_MODULES: [counting.sha256, reading.sha256].join(','),
  });
  worker = await startWorker(out, VARIABLES, stores);
});

afterAll(async () => {
  await worker?.close();
  outside.close();
  home.remove();
});

const send = (path: string, init: RequestInit = {}, key = API_KEY) =>
  worker.fetch(path, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
  });
const call = async (tool: string, headers: Record<string, string> = {}) => {
  const response = await send('/v1/human/tool', {
    method: 'POST',
    body: JSON.stringify({ tool, arguments: {} }),
    headers,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as CanonicalToolResult;
};

describe('vcp edge build', () => {
  it('leaves out what a worker cannot serve or hold to its limits, and says why', () => {
    expect(build).toMatchObject({ code: 0 });
    const { served, refused } = JSON.parse(build.stdout) as {
      served: string[];
      refused: { name: string; reason: string }[];
    };
    expect(served.toSorted()).toEqual([
      'Constant',
      'Counting',
      'Greeting',
      'Inwards',
      'Private',
      'Reaching',
      'Spinner',
    ]);
    const reasons = Object.fromEntries(refused.map(({ name, reason }) => [name, reason]));
    expect(reasons).toEqual({
      Hungry: 'it asks for limits.memoryPages 2000, and all guests of a worker have 1024 together',
      Process:
        'it is a process of its own, and Workers start none: serve it on Node or Deno, or build it for the sandbox',
      Reading: 'its module imports node:fs, which Workers have not got',
      Untrusted: expect.stringContaining('is not trusted') as string,
    });
  });

  it('leaves the settings of an operator as they are, and writes everything else anew', async () => {
    const settings = join(out, 'wrangler.toml');
    const own = readFileSync(settings, 'utf8').replace('database_id = "local"', 'database_id = "mine"');
    writeFileSync(settings, own);
    const stale = join(out, 'guests', 'stale.wasm');
    writeFileSync(stale, '');
    const again = await vcp(home, ['edge', 'build', '--plugins', home.plugins, '--out', out]);
    expect(again.stdout).toContain('wrangler.toml was there already and is as it was');
    expect(readFileSync(settings, 'utf8')).toBe(own);
    expect(existsSync(stale)).toBe(false);
  });

  it('writes into no folder that holds something else', async () => {
    const foreign = join(home.root, 'foreign');
    mkdirSync(join(foreign, 'parts'), { recursive: true });
    writeFileSync(join(foreign, 'parts', 'mine.js'), '');
    const refused = await vcp(home, ['edge', 'build', '--plugins', home.plugins, '--out', foreign]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('holds files that are not of such a build');
    expect(readdirSync(foreign, { recursive: true }).toSorted()).toEqual(['parts', join('parts', 'mine.js')]);
  });

  it('fails when nothing is left', async () => {
    const only = join(home.root, 'only-processes');
    writePlugin(only, { name: 'Process', command: 'sh' });
    const failed = await vcp(home, ['edge', 'build', '--plugins', only, '--out', join(home.root, 'nothing')]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('Workers start none');
  });
});

describe('npm run edge', () => {
  it('serves the folder by Wrangler, makes its calls, and leaves nothing behind', async () => {
    const marker = `edge-test-${randomUUID()}`;
    const script = join(repositoryRoot, 'scripts', 'edge.ts');
    const { stdout } = await run(process.execPath, [script, '--check'], {
      cwd: home.root,
      env: { ...cleanEnvironment(home), MARKER: marker },
    });
    expect(stdout).toContain('a Range request gets its part');
    expect(stdout).toMatch(/All answers were right\.\n$/);
    expect(await processesLeft(marker)).toEqual([]);
  });
});

describe('a worker', () => {
  it('ends a guest that computes for ever by its fuel, and goes on', async () => {
    expect(await call('Spinner')).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT', details: { limit: 'fuel' } },
    });
    expect(await call('Constant')).toMatchObject({ status: 'success', data: { constant: true } });
  });

  it('answers all calls that come at once, although few guests fit into an isolate', async () => {
    const before = asked;
    const results = await Promise.all(Array.from({ length: 12 }, () => call('Reaching')));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['success']));
    expect(asked - before).toBe(12);
  });

  it('runs a call under an idempotency key once, however many requests ask at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => call('Counting', { 'idempotency-key': 'one' })));
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect((await call('Counting')).data).toEqual({ calls: 2 });
  });

  it('keeps the result of a call whose client has gone', async () => {
    const newest = async () => {
      const listed = await send('/v1/records?tool=Counting&limit=1');
      return ((await listed.json()) as { records: { id: string }[] }).records[0]?.id;
    };
    const before = await newest();
    const leaving = new AbortController();
    const body = JSON.stringify({ tool: 'Counting', arguments: {} });
    const left = send('/v1/human/tool', { method: 'POST', body, signal: leaving.signal });
    setTimeout(() => leaving.abort(), 80);
    await expect(left).rejects.toThrow();
    await until('the call that was left is recorded', async () => (await newest()) !== before);
  });

  it('gives a guest the values that its folder had when the worker was built', async () => {
    expect((await call('Greeting')).data).toMatchObject({ ok: { value: 'servus' } });
  });

  it.each([
    ['Private', 'the address 10.1.2.3 is not open'],
    ['Inwards', 'the name localhost is not open'],
  ])('lets no guest reach inwards: %s', async (tool, reason) => {
    const before = asked;
    expect(JSON.stringify((await call(tool)).data)).toContain(reason);
    expect(asked).toBe(before);
  });

  it('streams what a call comes to', async () => {
    const streamed = await send('/v1/human/tool', {
      method: 'POST',
      body: JSON.stringify({ tool: 'Constant', arguments: {} }),
      headers: { accept: 'text/event-stream' },
    });
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    expect(await streamed.text()).toMatch(/event: result\n.*"constant":true/s);
  });

  it('takes an upload that is larger than a part, and gives parts of it back', async () => {
    const bytes = new Uint8Array(9 * 1024 * 1024);
    bytes.set([1, 2, 3, 4], 8 * 1024 * 1024 - 2);
    const uploaded = await send('/v1/resources?fileName=large.bin', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(uploaded.status).toBe(201);
    const { id, sha256 } = (await uploaded.json()) as { id: string; sha256: string };
    expect(sha256).toBe(hash('sha256', bytes));
    const part = await send(`/v1/resources/${id}`, { headers: { range: 'bytes=8388606-8388609' } });
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, new Uint8Array([1, 2, 3, 4])]);
  });

  it('knows keys by their hashes, and what each may use', async () => {
    const body = (tool: string) => ({ method: 'POST', body: JSON.stringify({ tool, arguments: {} }) });
    expect((await send('/v1/human/tool', body('Constant'), OTHER_KEY)).status).toBe(200);
    expect((await send('/v1/human/tool', body('Spinner'), OTHER_KEY)).status).toBe(403);
    expect((await send('/v1/human/tool', body('Constant'), 'a-key-that-nobody-has')).status).toBe(401);
  });

  it('says that plugins are switched by deploying', async () => {
    const patched = await send('/v1/plugins/Constant', { method: 'PATCH', body: '{"enabled": false}' });
    expect(patched.status).toBe(409);
    expect(await patched.json()).toMatchObject({
      code: 'PLUGINS_FIXED',
      detail: expect.stringContaining('deploy') as string,
    });
  });

  it('keeps what it has stored when it starts anew', async () => {
    const { id } = await call('Constant');
    await worker.close();
    worker = await startWorker(out, VARIABLES, stores);
    const read = await send(`/v1/results/${id}?view=canonical`);
    expect(await read.json()).toMatchObject({ id, data: { constant: true } });
  });

  it('tells its operator and nobody else what it lacks', async () => {
    const bare = await startWorker(out, { VCP_API_KEY: 'short', VCP_UNKNOWN: 'x' });
    const answer = await bare.fetch('/v1/tools');
    expect(answer.status).toBe(503);
    const text = await answer.text();
    expect(text).toContain('NOT_READY');
    expect(text).not.toContain('VCP_');
    expect(bare.logged.join('\n')).toContain('VCP_API_KEY');
    await bare.close();
  });
});
