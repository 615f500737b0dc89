import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDGE_DEFAULTS } from '../../adapters/cloudflare/edge-defaults.ts';
import { EVERY_MINUTE } from '../../adapters/cloudflare/upkeep.ts';
import { buildEdge, type EdgeBuild } from '../../adapters/node/edge-build/build-edge.ts';
import { moduleTrust } from '../../adapters/node/module-trust.ts';
import { serverRoot } from '../../adapters/node/server-root.ts';
import type { ScheduleDetails } from '../../src/protocol/schedule.ts';
import { limitVariable, loadConfiguration } from '../../src/server/configuration.ts';
import { startWorker, type RunningWorker } from '../support/workerd/start-worker.ts';
import { conformanceScenarios } from './scenarios.ts';
import { CONFORMANCE_LIMITS, createCaller, type ConformanceTarget } from './target.ts';
import { startUpstream } from './upstream.ts';

const API_KEY = 'a-key-for-the-conformance-run';
const PLUGINS = fileURLToPath(new URL('./plugins', import.meta.url));

let directory: string;
let built: EdgeBuild;
let worker: RunningWorker;
let upstream: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-conformance-edge-'));
  const loaded = loadConfiguration(EDGE_DEFAULTS);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const digest = createHash('sha256').update(readFileSync(join(PLUGINS, 'PayloadEcho', 'payload-echo.mjs')));
  const digests = [digest.digest('hex')];
  built = await buildEdge({
    pluginDirectories: [PLUGINS, join(serverRoot, 'plugins-wasm'), join(serverRoot, 'plugins-stdio')],
    outDirectory: directory,
    root: serverRoot,
    version: '0.0.0',
    limits: loaded.limits,
    trust: moduleTrust(() => digests, [], loaded.limits),
  });
  upstream = await startUpstream();
  worker = await startWorker(directory, {
    ...upstream.variables,
    VCP_API_KEY: API_KEY,
    VCP_SIGNING_KEY: 'a-signing-key-for-the-conformance-run',
    ...Object.fromEntries(
      Object.entries(CONFORMANCE_LIMITS).map(([name, value]) => [limitVariable(name), String(value)]),
    ),
  });
}, 60_000);

afterAll(async () => {
  await worker?.close();
  upstream?.close();
  rmSync(directory, { recursive: true, force: true });
});

const target = (): ConformanceTarget => ({
  url: worker.url,
  fetch: worker.fetch,
  apiKey: API_KEY,
  wake: () => worker.wake(EVERY_MINUTE),
});

describe('a worker in workerd, over a socket', () => {
  it('was built with what it can serve, and tells of the rest', async () => {
    expect(built.served).toContain('PayloadEcho');
    const { refused } = await createCaller(target).getJson<{
      refused: { name: string; location: string; reason: string }[];
    }>('/v1/tools?include=refused');
    expect(refused).toContainEqual({
      name: 'ScheduleManager',
      location: 'plugins-stdio/ScheduleManager/plugin-manifest.json',
      reason: expect.stringContaining('Workers start none') as string,
      issues: [],
    });
    expect(JSON.stringify(refused)).not.toContain(serverRoot);
  });

  conformanceScenarios(target);

  it('makes a call once that two Cron triggers find due at the same moment', async () => {
    const { request, getJson } = createCaller(target);
    const made = await request('/v1/schedules', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        tool: 'PayloadEcho',
        arguments: { command: 'Answer', payload: { status: 'success', data: null } },
        at: new Date(Date.now() + 300).toISOString(),
      }),
    });
    const { id } = (await made.json()) as { id: string };
    await new Promise((resolve) => setTimeout(resolve, 400));
    await Promise.all([worker.wake(EVERY_MINUTE), worker.wake(EVERY_MINUTE), worker.wake('17 * * * *')]);
    const { schedule, runs } = await getJson<ScheduleDetails>(`/v1/schedules/${id}`);
    expect(schedule).toMatchObject({ state: 'ended', runCount: 1 });
    expect(runs).toMatchObject([{ state: 'finished', status: 'success', attempt: 1 }]);
  });
});
