import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { echoCases } from '../http-call/echo-cases.ts';
import { installPeers } from '../http-call/install-peers.ts';
import { writeTable } from '../http-call/write-table.ts';
import { closedLoopOver } from '../lib/closed-loop.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { descendants, requireLinux } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { contenders, type Contender, type OpenHost } from './contenders.ts';

const IN_FLIGHT = 16;
const BURST_CALLS = 50;
/** Long enough for a process to be started again between two calls. */
const PACE_MS = 300;

interface Report {
  pacedMs: number[];
  chainedMs: number[];
  callsPerSecond: number;
  hostCpuMs: number;
  burst: { firstMs: number; lastMs: number; processes: number };
}

/** Calls of one stdio tool: one now and then, one after the other, many at once, and a burst to a cold tool. */
export async function runStdio(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      paced: { type: 'string', default: '40' },
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  installPeers();
  const chosen = contenders.filter(({ id }) => values.only === undefined || values.only.split(',').includes(id));
  const reports = new Map<Contender, Report>();
  for (const contender of chosen) {
    const report = await measure(contender, Number(values.paced));
    reports.set(contender, report);
    console.error(`${contender.id}  paced p50 ${quantile(report.pacedMs, 0.5).toFixed(2)} ms`);
  }
  const text = `${resultTable(reports)}\n\n${burstTable(reports)}\n\n${describeMachine()}; every answer checked.`;
  console.log(text);
  if (values.write) writeTable('stdio', text);
}

async function measure(contender: Contender, pacedCalls: number): Promise<Report> {
  const burst = await withHost(contender, measureBurst);
  return await withHost(contender, async (host) => {
    const scale = contender.spawns ? 1 : 100;
    // What is measured is the steady state: the first calls start processes and warm the compiler.
    for (let index = 0; index < (contender.spawns ? 5 : 2_000); index += 1) await timedCall(host, index);
    const pacedMs: number[] = [];
    for (let index = 0; index < pacedCalls; index += 1) {
      await sleep(PACE_MS);
      pacedMs.push(await timedCall(host, index));
    }
    const chainedMs: number[] = [];
    for (let index = 0; index < 50 * scale; index += 1) chainedMs.push(await timedCall(host, index));
    const count = 200 * scale;
    const cpu = process.cpuUsage();
    const started = performance.now();
    await closedLoopOver(IN_FLIGHT, count, async (index) => void (await timedCall(host, index)));
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    return { pacedMs, chainedMs, callsPerSecond: count / seconds, hostCpuMs: (user + system) / 1_000 / count, burst };
  });
}

async function withHost<T>(contender: Contender, use: (host: OpenHost) => Promise<T>): Promise<T> {
  const host = await contender.open();
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}

async function timedCall(host: OpenHost, index: number): Promise<number> {
  const { input, output } = echoCases[index % echoCases.length]!;
  const started = performance.now();
  const answer = await host.call(input);
  const elapsed = performance.now() - started;
  deepStrictEqual(answer, output);
  return elapsed;
}

async function measureBurst(host: OpenHost): Promise<Report['burst']> {
  let processes = 0;
  const count = (): void => {
    processes = Math.max(processes, descendants(process.pid).filter(({ pid }) => !isGuard(pid)).length);
  };
  const watch = setInterval(count, 5);
  const started = performance.now();
  const ends = await Promise.all(
    Array.from({ length: BURST_CALLS }, async (_, index) => {
      await timedCall(host, index);
      return performance.now() - started;
    }),
  );
  clearInterval(watch);
  count();
  return { firstMs: Math.min(...ends), lastMs: Math.max(...ends), processes };
}

/** The process that would end the others if this one were killed; it serves no call. */
function isGuard(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('vcp-child-guard');
  } catch {
    return true;
  }
}

function resultTable(reports: ReadonlyMap<Contender, Report>): string {
  const rows = [...reports].map(([{ label }, report]) => [
    label,
    quantile(report.pacedMs, 0.5).toFixed(2),
    quantile(report.pacedMs, 0.95).toFixed(2),
    quantile(report.chainedMs, 0.5).toFixed(2),
    quantile(report.chainedMs, 0.99).toFixed(2),
    report.callsPerSecond.toFixed(0),
    report.hostCpuMs.toFixed(3),
  ]);
  const head = [
    'contender',
    'paced p50 ms',
    'p95',
    'chained p50 ms',
    'p99',
    `calls/s, ${IN_FLIGHT} at once`,
    'host CPU ms',
  ];
  return markdownTable(head, rows);
}

function burstTable(reports: ReadonlyMap<Contender, Report>): string {
  const rows = [...reports].map(([{ label }, { burst }]) => [
    label,
    burst.firstMs.toFixed(0),
    burst.lastMs.toFixed(0),
    String(burst.processes),
  ]);
  return markdownTable([`burst of ${BURST_CALLS} to a cold tool`, 'first ms', 'last ms', 'processes at most'], rows);
}
