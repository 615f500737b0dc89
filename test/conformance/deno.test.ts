import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverRoot } from '../../adapters/node/server-root.ts';
import { limitVariable } from '../../src/server/configuration.ts';
import { startDenoServer, type DenoServer } from '../support/deno-server.ts';
import { temporaryHome } from '../support/server-process.ts';
import { conformanceScenarios } from './scenarios.ts';
import { CONFORMANCE_LIMITS, createCaller, type ConformanceTarget } from './target.ts';
import { startUpstream } from './upstream.ts';

const API_KEY = 'a-key-for-the-conformance-run';
const PLUGINS = fileURLToPath(new URL('./plugins', import.meta.url));
const module = readFileSync(join(PLUGINS, 'PayloadEcho', 'payload-echo.mjs'));

const VARIABLES = {
  VCP_API_KEY: API_KEY,
  VCP_PLUGIN_DIRS: [join(serverRoot, 'plugins-stdio'), join(serverRoot, 'plugins-wasm'), PLUGINS].join(','),
  VCP_TRUSTED_MODULES: createHash('sha256').update(module).digest('hex'),
  ...Object.fromEntries(
    Object.entries(CONFORMANCE_LIMITS).map(([name, value]) => [limitVariable(name), String(value)]),
  ),
};

const startedBy = (task: 'start' | 'start:sandboxed') => {
  const home = temporaryHome();
  let server: DenoServer;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startDenoServer(task, home, { ...VARIABLES, ...upstream.variables });
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    upstream?.close();
    home.remove();
  });
  return (): ConformanceTarget => ({
    url: server.url,
    fetch: (path, init) => fetch(`${server.url}${path}`, init),
    apiKey: API_KEY,
  });
};

describe('a process of Deno, over a socket', () => {
  const target = startedBy('start');

  it('serves plugins of every kind', async () => {
    const { tools } = await createCaller(target).getJson<{ tools: { name: string }[] }>('/v1/tools');
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['PayloadEcho', 'ScheduleManager', 'SciCalculator', 'DateTime']));
  });

  conformanceScenarios(target);
});

describe('a process of Deno that may start none', () => {
  const target = startedBy('start:sandboxed');
  const caller = createCaller(target);

  it('lists the tools that are processes as refused, and says why', async () => {
    const { refused } = await caller.getJson<{ refused: { name: string; reason: string }[] }>(
      '/v1/tools?include=refused',
    );
    expect(refused.find(({ name }) => name === 'ScheduleManager')?.reason).toBe(
      'it is a process of its own, and this server may start none: give Deno --allow-run ("deno task start"), or leave the plugin out',
    );
  });

  it('serves what needs no process, and is ready', async () => {
    expect(await caller.call('DateTime', { command: 'Now', timeZone: 'UTC' })).toMatchObject({ status: 'success' });
    expect(await caller.answer({ status: 'success', data: { from: 'a module' } })).toMatchObject({ status: 'success' });
    expect(await caller.getJson('/readyz')).toMatchObject({ ready: true });
  });
});
