// A process of its own, the same for all runtimes, so that making the load is not counted as the server's work.
import { closedLoop } from '../lib/closed-loop.ts';
import { createJsonClient } from '../lib/json-client.ts';
import { cpuMilliseconds } from '../lib/process-stats.ts';

/** A request, and a text that only its right answer has. */
export interface EdgeCase {
  id: string;
  label: string;
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  marker: string;
}

/** What the load generator is asked to do. */
export interface EdgeOrder {
  baseUrl: string;
  serverPid: number;
  headers: Record<string, string>;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  cases: EdgeCase[];
}

/** What it measured of one case; CPU is the server process's user and system time, all threads. */
export interface EdgeReport {
  /** The first request of this kind that the server ever got. */
  firstMs: number;
  requestsPerSecond: number;
  cpuMsPerRequest: number;
  p50Ms: number;
  p99Ms: number;
}

async function runLoad(order: EdgeOrder): Promise<Record<string, EdgeReport>> {
  const client = createJsonClient(order.baseUrl, order.headers, order.connections);

  async function timed({ method, path, body, marker }: EdgeCase): Promise<number> {
    const start = performance.now();
    const { status, text } = await client.send(method, path, body);
    if (status !== 200 || !text.includes(marker)) throw new Error(`Wrong answer: ${status} ${text.slice(0, 2_000)}`);
    return performance.now() - start;
  }

  async function loadFor(seconds: number, one: EdgeCase): Promise<number[]> {
    const durations: number[] = [];
    const end = performance.now() + seconds * 1_000;
    const call = async (): Promise<void> => void durations.push(await timed(one));
    await closedLoop(order.connections, () => (performance.now() < end ? call() : undefined));
    return durations.toSorted((a, b) => a - b);
  }

  const firsts: number[] = [];
  for (const one of order.cases) firsts.push(await timed(one));
  const reports: Record<string, EdgeReport> = {};
  for (const [index, one] of order.cases.entries()) {
    await loadFor(order.warmUpSeconds, one);
    const cpuBefore = cpuMilliseconds(order.serverPid);
    const start = performance.now();
    const durations = await loadFor(order.seconds, one);
    const elapsedMs = performance.now() - start;
    reports[one.id] = {
      firstMs: firsts[index]!,
      requestsPerSecond: (durations.length * 1_000) / elapsedMs,
      cpuMsPerRequest: (cpuMilliseconds(order.serverPid) - cpuBefore) / durations.length,
      p50Ms: durations[Math.floor(durations.length * 0.5)]!,
      p99Ms: durations[Math.floor(durations.length * 0.99)]!,
    };
  }
  client.close();
  return reports;
}

process.once('message', (order) => {
  void runLoad(order as EdgeOrder).then((reports) => process.send?.(reports, () => process.disconnect?.()));
});
