// A process of its own, so that making the load and checking the answers is not counted as the server's work.
import { deepStrictEqual } from 'node:assert/strict';
import { closedLoop } from '../lib/closed-loop.ts';
import { createJsonClient } from '../lib/json-client.ts';
import { cpuMilliseconds, residentBytes } from '../lib/process-stats.ts';
import type { EchoOutput } from './plugins/BenchEcho/bench-echo.mjs';

/** One answer in so many is parsed whole and compared; of the others, status and marker are checked. */
const PARSE_ONE_IN = 32;

/** What the load generator is asked to do. */
export interface LoadOrder {
  baseUrl: string;
  serverPid: number;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  path: string;
  headers: Record<string, string>;
  requestId: string;
  calls: { body: string; output: EchoOutput; marker: string }[];
  outputAt: string;
  required: Record<string, unknown>;
}

/** What it measured; CPU is the server process's user and system time, all threads. */
export interface LoadReport {
  requests: number;
  requestsPerSecond: number;
  cpuMsPerRequest: number;
  p50Ms: number;
  p99Ms: number;
  residentBytes: number;
}

function valueAt(answer: unknown, path: string): unknown {
  let value = answer;
  for (const name of path === '' ? [] : path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

async function runLoad(order: LoadOrder): Promise<LoadReport> {
  const client = createJsonClient(order.baseUrl, order.headers, order.connections);
  const calls = order.calls.map((call) => ({ ...call, bodyParts: call.body.split(order.requestId) }));
  let requestCount = 0;

  async function callOnce(): Promise<void> {
    const number = requestCount++;
    const { bodyParts, marker, output } = calls[number % calls.length]!;
    const { status, text } = await client.send('POST', order.path, bodyParts.join(String(number)));
    if (status !== 200 || !text.includes(marker)) throw new Error(`Wrong answer: ${status} ${text.slice(0, 2_000)}`);
    // Checked in whole rounds over all cases, each time another case.
    if (number % PARSE_ONE_IN !== Math.floor(number / PARSE_ONE_IN) % PARSE_ONE_IN) return;
    const answer: unknown = JSON.parse(text);
    deepStrictEqual(valueAt(answer, order.outputAt), output);
    for (const [path, value] of Object.entries(order.required)) deepStrictEqual(valueAt(answer, path), value, path);
  }

  function loadFor(seconds: number, durations: number[]): Promise<void> {
    const end = performance.now() + seconds * 1000;
    async function timedCall(start: number): Promise<void> {
      await callOnce();
      durations.push(performance.now() - start);
    }
    return closedLoop(order.connections, () => {
      const start = performance.now();
      return start < end ? timedCall(start) : undefined;
    });
  }

  await loadFor(order.warmUpSeconds, []);
  const durations: number[] = [];
  const cpuBefore = cpuMilliseconds(order.serverPid);
  const start = performance.now();
  await loadFor(order.seconds, durations);
  const elapsedMs = performance.now() - start;
  const cpuMs = cpuMilliseconds(order.serverPid) - cpuBefore;
  client.close();
  durations.sort((a, b) => a - b);
  return {
    requests: durations.length,
    requestsPerSecond: (durations.length * 1000) / elapsedMs,
    cpuMsPerRequest: cpuMs / durations.length,
    p50Ms: durations[Math.floor(durations.length * 0.5)]!,
    p99Ms: durations[Math.floor(durations.length * 0.99)]!,
    residentBytes: residentBytes(order.serverPid),
  };
}

process.once('message', (order) => {
  void runLoad(order as LoadOrder).then((report) => process.send?.(report, () => process.disconnect?.()));
});
