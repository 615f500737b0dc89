import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { echoCases } from '../http-call/echo-cases.ts';
import { closedLoopOver } from '../lib/closed-loop.ts';
import { createJsonClient } from '../lib/json-client.ts';
import type { JsonClient } from '../lib/json-client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, defaultOurCommand, ourServer } from '../lib/our-server.ts';
import { descendants, isAlive, requireLinux } from '../lib/process-stats.ts';
import { startServer } from '../lib/server-process.ts';
import type { ServerCommand } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import { waitUntil } from '../lib/wait-until.ts';
import { findGrowth, readHoldings } from './growth.ts';
import type { Holdings } from './growth.ts';
import { callTool, findLosses } from './stored-answers.ts';
import type { AnsweredCall } from './stored-answers.ts';

const IN_FLIGHT = 16;
/** Both tools run this often before the first sample, so that pools, caches and standbys exist in both samples. */
const DIRECT_WARM_UP_CALLS = 500;
const STDIO_WARM_UP_CALLS = 2 * IN_FLIGHT;
/** The server is killed in the middle of so many further calls. */
const CALLS_AROUND_KILL = 1_000;
const SETTLE_MS = 15_000;
const ORPHAN_GRACE_MS = 5_000;

interface SoakPlan {
  directCalls: number;
  stdioCalls: number;
  stdioTool: string;
  stdioArguments: unknown;
  /** A value that must stand somewhere in the stdio tool's data. */
  stdioExpect: string;
}

/** Many calls, then a `kill -9`: nothing may leak, and nothing that was answered may be lost. */
export async function runSoak(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      'direct-calls': { type: 'string', default: '10000' },
      'stdio-calls': { type: 'string', default: '500' },
      'stdio-tool': { type: 'string', default: 'SciCalculator' },
      'stdio-arguments': { type: 'string', default: '{"expression":"1+1"}' },
      'stdio-expect': { type: 'string', default: '2' },
      'plugin-dirs': { type: 'string', default: 'bench/http-call/plugins,plugins-stdio' },
      ours: { type: 'string', default: defaultOurCommand },
    },
  });
  requireLinux();
  await withTemporaryDirectory((dataDirectory) =>
    soak(ourServer(values.ours, dataDirectory, values['plugin-dirs']), {
      directCalls: Number(values['direct-calls']),
      stdioCalls: Number(values['stdio-calls']),
      stdioTool: values['stdio-tool'],
      stdioArguments: JSON.parse(values['stdio-arguments']),
      stdioExpect: values['stdio-expect'],
    }),
  );
}

async function soak(command: ServerCommand, plan: SoakPlan): Promise<void> {
  const answered: AnsweredCall[] = [];
  const failures: string[] = [];
  const rows: string[][] = [];

  async function callDirect(client: JsonClient, index: number): Promise<void> {
    const { input, output } = echoCases[index % echoCases.length]!;
    answered.push(await callTool(client, 'BenchEcho', input, (data) => deepStrictEqual(data, output)));
  }
  async function callStdio(client: JsonClient): Promise<void> {
    answered.push(
      await callTool(client, plan.stdioTool, plan.stdioArguments, (data) => requireLeaf(data, plan.stdioExpect)),
    );
  }
  async function timed(
    label: string,
    count: number,
    client: JsonClient,
    call: (client: JsonClient, index: number) => Promise<void>,
  ): Promise<void> {
    const start = performance.now();
    await closedLoopOver(IN_FLIGHT, count, (index) => call(client, index));
    const seconds = (performance.now() - start) / 1000;
    rows.push([label, String(count), `${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s`, 'all right']);
  }
  const connect = (baseUrl: string): JsonClient =>
    createJsonClient(baseUrl, { authorization: `Bearer ${apiKey}` }, IN_FLIGHT);

  let server = await startServer(command);
  try {
    let client = connect(server.baseUrl);
    await closedLoopOver(IN_FLIGHT, DIRECT_WARM_UP_CALLS, (index) => callDirect(client, index));
    await closedLoopOver(IN_FLIGHT, STDIO_WARM_UP_CALLS, () => callStdio(client));
    client.close();
    await sleep(SETTLE_MS / 3);
    const before = readHoldings(server.pid);

    client = connect(server.baseUrl);
    await timed('direct calls', plan.directCalls, client, callDirect);
    await timed('stdio calls', plan.stdioCalls, client, callStdio);
    client.close();
    await waitUntil(() => findGrowth(before, readHoldings(server.pid)).length === 0, SETTLE_MS);
    const after = readHoldings(server.pid);
    const grown = findGrowth(before, after);
    for (const kind of Object.keys(before) as (keyof Holdings)[]) {
      rows.push([
        `${kind}, before and after`,
        String(before[kind]),
        String(after[kind]),
        grown.includes(kind) ? 'GREW' : 'settled',
      ]);
    }
    failures.push(...grown.map((kind) => `${kind} grew from ${before[kind]} to ${after[kind]}.`));

    const children = descendants(server.pid);
    await killUnderLoad();
    await waitUntil(() => !children.some(isAlive), ORPHAN_GRACE_MS);
    const orphans = children.filter(isAlive);
    for (const { pid } of orphans) process.kill(pid, 'SIGKILL');
    if (orphans.length > 0) failures.push(`${orphans.length} child processes outlived the killed server.`);
    rows.push([
      'children left by kill -9',
      String(children.length),
      String(orphans.length),
      orphans.length === 0 ? 'none left' : 'LEFT',
    ]);

    server = await startServer(command);
    client = connect(server.baseUrl);
    const losses = await findLosses(client, answered, IN_FLIGHT);
    client.close();
    failures.push(...losses.slice(0, 10));
    if (losses.length > 10) failures.push(`and ${losses.length - 10} more results or records lost or changed.`);
    rows.push([
      'answered calls, lost by kill -9',
      String(answered.length),
      String(losses.length),
      losses.length === 0 ? 'none lost' : 'LOST',
    ]);
  } catch (error) {
    throw new Error(`The soak stopped. The server's log ends with:\n${server.logTail()}`, { cause: error });
  } finally {
    await server.stop();
  }

  console.log(markdownTable(['soak', 'count', 'then', 'verdict'], rows));
  if (failures.length > 0) throw new Error(`The soak failed:\n${failures.join('\n')}`);

  /** Calls under way at the kill may fail; those answered before it count as promised. */
  async function killUnderLoad(): Promise<void> {
    const client = connect(server.baseUrl);
    const target = answered.length + CALLS_AROUND_KILL / 2;
    let killed: Promise<void> | undefined;
    await closedLoopOver(IN_FLIGHT, CALLS_AROUND_KILL, async (index) => {
      if (killed) return;
      try {
        await callDirect(client, index);
      } catch (error) {
        if (!killed) throw error;
      }
      if (answered.length >= target) killed ??= server.stop('SIGKILL');
    });
    client.close();
    await killed;
  }
}

/** @throws when no string, number or boolean inside `data` reads as `expected`. */
function requireLeaf(data: unknown, expected: string): void {
  const isThere = (value: unknown): boolean =>
    typeof value === 'object' && value !== null ? Object.values(value).some(isThere) : String(value) === expected;
  if (!isThere(data)) throw new Error(`Expected ${expected} in ${JSON.stringify(data)}.`);
}
