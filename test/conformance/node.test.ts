import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverRoot } from '../../adapters/node/server-root.ts';
import { startServer, type RunningServer } from '../../adapters/node/start-server.ts';
import { loadConfiguration } from '../../src/server/configuration.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { conformanceScenarios } from './scenarios.ts';
import { PNG } from './scenarios/media-samples.ts';
import { CONFORMANCE_LIMITS, createCaller, success, type ConformanceTarget } from './target.ts';
import { startUpstream } from './upstream.ts';

const API_KEY = 'a-key-for-the-conformance-run';
const PLUGINS = fileURLToPath(new URL('./plugins', import.meta.url));

let dataDirectory: string;
let server: RunningServer;
let upstream: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'vcp-conformance-'));
  const module = await readFile(join(PLUGINS, 'PayloadEcho', 'payload-echo.mjs'));
  upstream = await startUpstream();
  const loaded = loadConfiguration({
    ...upstream.variables,
    VCP_PORT: '0',
    VCP_DATA_DIR: dataDirectory,
    VCP_API_KEY: API_KEY,
    VCP_PLUGIN_DIRS: `${join(serverRoot, 'plugins-stdio')},${PLUGINS}`,
    VCP_TRUSTED_MODULES: createHash('sha256').update(module).digest('hex'),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const silent = () => undefined;
  server = await startServer({
    configuration: loaded.configuration,
    limits: { ...DEFAULT_LIMITS, ...CONFORMANCE_LIMITS },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    environment: upstream.variables,
    root: serverRoot,
    version: '0.0.0',
  });
});

afterAll(async () => {
  await server.close();
  upstream.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const target = (): ConformanceTarget => ({
  url: server.url,
  fetch: (path, init) => fetch(`${server.url}${path}`, init),
  apiKey: server.apiKey,
});

describe('a server on Node, over a socket', () => {
  it('serves every plugin that the scenarios need', () => {
    expect(server.registry.refused()).toEqual([]);
    const served = server.registry.list().map(({ manifest }) => manifest.name);
    expect(served).toEqual(expect.arrayContaining(['CodeRunner', 'PayloadEcho', 'ScheduleManager']));
  });

  conformanceScenarios(target);
});

// What HTTP alone cannot show.
describe('behind the socket', () => {
  const caller = createCaller(target);

  it('keeps the same bytes in one file, however often they are declared', async () => {
    const drafts = [1, 2, 3].map((id) => ({ id: `copy-${id}`, base64: PNG.base64 }));
    const result = await caller.answer(success(null, { resources: drafts }));
    expect(result.resources).toHaveLength(3);
    const files = await readdir(join(dataDirectory, 'resources'), { recursive: true });
    const named = files.filter((file) => file.endsWith(result.resources[0]?.sha256 ?? 'none'));
    expect(named).toHaveLength(1);
  });

  it('does not fetch an external URL', async () => {
    let connections = 0;
    const outside = createServer((_, response) => response.end('bytes')).on('connection', () => (connections += 1));
    await new Promise<void>((listening) => outside.listen(0, '127.0.0.1', listening));
    try {
      const { port } = outside.address() as AddressInfo;
      const result = await caller.answer(
        success(null, { resources: [{ id: 'x', url: `http://127.0.0.1:${port}/x.png` }] }),
      );
      expect(result).toMatchObject({ status: 'success', resources: [{ access: { type: 'external' }, sha256: null }] });
      expect(connections).toBe(0);
    } finally {
      await new Promise((closed) => outside.close(closed));
    }
  });

  it('keeps no Base64 in its database', async () => {
    const { id } = await caller.answer(success(null, { resources: [{ id: 'x', base64: PNG.base64 }] }));
    const names = (await readdir(dataDirectory)).filter((name) => name.startsWith('vcp.sqlite'));
    const written = (await Promise.all(names.map((name) => readFile(join(dataDirectory, name), 'latin1')))).join('');
    expect(written).toContain(id);
    expect(written).not.toContain(PNG.base64.slice(0, 24));
  });
});
