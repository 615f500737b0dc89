import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { manifestOf } from '../../test/support/manifest.ts';
import { closedLoopOver } from '../lib/closed-loop.ts';
import { createJsonClient } from '../lib/json-client.ts';
import { apiKey, defaultOurCommand, ourServer } from '../lib/our-server.ts';
import { residentBytes } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { startServer } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';

const IN_FLIGHT = 8;
/** Until the heaps of server and threads have found their size. */
const WARM_UP_CALLS = 20_000;
const SETTLE_MS = 3_000;
const MEBIBYTE = 1024 * 1024;

export interface LongRun {
  calls: number;
  seconds: number;
  /** Of the first and the last tenth. */
  p50Ms: [number, number];
  p99Ms: [number, number];
  /** Of the server, after the warm-up, after half of the calls, and at the end. */
  residentMiB: [number, number, number];
}

/** Calls of a small plugin over HTTP, through everything that a call goes through. */
export function measureLongRun(module: Uint8Array, calls: number): Promise<LongRun> {
  return withTemporaryDirectory(async (directory) => {
    const plugin = join(directory, 'plugins', 'Small');
    mkdirSync(plugin, { recursive: true });
    writeFileSync(join(plugin, 'plugin.wasm'), module);
    const more = {
      entryPoint: { type: 'wasm', file: 'plugin.wasm' },
      communication: { protocol: 'direct', timeoutMs: 20_000 },
    };
    writeFileSync(join(plugin, 'plugin-manifest.json'), JSON.stringify(manifestOf({ name: 'Small', more })));
    const server = await startServer(ourServer(defaultOurCommand, join(directory, 'data'), join(directory, 'plugins')));
    const client = createJsonClient(server.baseUrl, { authorization: `Bearer ${apiKey}` }, IN_FLIGHT);
    try {
      const timesMs: number[] = [];
      const call = async (): Promise<void> => {
        const started = performance.now();
        const body = JSON.stringify({ tool: 'Small', arguments: { text: 'one two three' } });
        const { status, text } = await client.send('POST', '/v1/human/tool', body);
        timesMs.push(performance.now() - started);
        if (status !== 200 || !text.includes('"different":')) throw new Error(`${status}: ${text.slice(0, 1_000)}`);
      };
      await closedLoopOver(IN_FLIGHT, WARM_UP_CALLS, call);
      await sleep(SETTLE_MS);
      const before = residentBytes(server.pid);
      timesMs.length = 0;
      const half = Math.ceil(calls / 2);
      const started = performance.now();
      await closedLoopOver(IN_FLIGHT, half, call);
      const between = residentBytes(server.pid);
      await closedLoopOver(IN_FLIGHT, calls - half, call);
      const seconds = (performance.now() - started) / 1_000;
      await sleep(SETTLE_MS);
      const after = residentBytes(server.pid);
      const tenth = Math.ceil(calls / 10);
      const ends = [timesMs.slice(0, tenth), timesMs.slice(-tenth)] as const;
      return {
        calls,
        seconds,
        p50Ms: [quantile(ends[0], 0.5), quantile(ends[1], 0.5)],
        p99Ms: [quantile(ends[0], 0.99), quantile(ends[1], 0.99)],
        residentMiB: [Math.round(before / MEBIBYTE), Math.round(between / MEBIBYTE), Math.round(after / MEBIBYTE)],
      };
    } finally {
      client.close();
      await server.stop();
    }
  });
}
