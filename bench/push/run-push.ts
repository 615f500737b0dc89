// Events to many WebSocket clients: `npm run bench -- push [--clients 2000] [--seconds 20] [--write]`.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, defaultOurCommand, ourServer } from '../lib/our-server.ts';
import { cpuMilliseconds, peakResidentBytes, requireLinux, residentBytes, resetPeak } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { startServer, type ServerProcess } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import type { ClientReport } from './client-process.ts';

/** Events are pushed at this pace by a service plugin of the server. */
const EVERY_MS = 100;
const PROCESSES = 2;
const MIB = 1024 * 1024;

const plugins = fileURLToPath(new URL('plugins', import.meta.url));
const pulse = new URL('plugins/BenchPulse/bench-pulse.mjs', import.meta.url);
const clientProgram = fileURLToPath(new URL('client-process.ts', import.meta.url));

export async function runPush(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      clients: { type: 'string' },
      seconds: { type: 'string' },
      ours: { type: 'string' },
      write: { type: 'boolean' },
    },
  });
  requireLinux();
  const most = Number(values.clients ?? 2_000);
  const seconds = Number(values.seconds ?? 20);
  const rows: string[][] = [];
  for (const clients of [...new Set([100, 500, most])].filter((count) => count <= most)) {
    const measured = await measure(clients, seconds, values.ours ?? defaultOurCommand);
    if (measured.lost > 0 || measured.closed > 0) {
      throw new Error(`${measured.lost} events were lost, and ${measured.closed} of ${clients} clients were closed.`);
    }
    // The first and the last may be on their way while it begins or ends.
    if (measured.most - measured.fewest > 2) {
      throw new Error(`One client had ${measured.fewest} events, another ${measured.most}.`);
    }
    console.error(`${clients} clients: ${measured.events} events came, none lost`);
    rows.push(rowOf(clients, measured));
  }
  const head = [
    'clients',
    'events came',
    'lost',
    'p50 ms',
    'p99 ms',
    'max ms',
    'CPU of a core',
    'µs a send',
    'RSS MiB',
  ];
  const pace = `${1_000 / EVERY_MS} events a second to every client for ${seconds} s, each of about 500 bytes`;
  const text = `${markdownTable([...head, 'more than idle'], rows)}\n\n${pace}. ${describeMachine()}.`;
  console.log(text);
  if (values.write) writeTable('push', text);
}

type Measured = Omit<ClientReport, 'clients'> & {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly idleBytes: number;
  readonly peakBytes: number;
};

const measure = (clients: number, seconds: number, command: string): Promise<Measured> =>
  withTemporaryDirectory(async (directory) => {
    const ours = ourServer(command, directory, plugins);
    const digest = createHash('sha256').update(readFileSync(pulse)).digest('hex');
    const env = (port: number) => ({ ...ours.env(port), VCP_TRUSTED_MODULES: digest });
    const server = await startServer({ ...ours, env });
    try {
      return await observe(server, clients, seconds);
    } finally {
      await server.stop();
    }
  });

const observe = async (server: ServerProcess, clients: number, seconds: number): Promise<Measured> => {
  const idleBytes = residentBytes(server.pid);
  const share = Math.ceil(clients / PROCESSES);
  const shares = Array.from({ length: PROCESSES }, (_, index) => Math.min(share, clients - index * share));
  const processes = shares.map((count) => {
    const child = spawn(process.execPath, [clientProgram, server.baseUrl, apiKey, String(count)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of processes) await lines.next();
  // What connecting took is not what pushing takes.
  await sleep(2_000);
  resetPeak(server.pid);
  const cpuBefore = cpuMilliseconds(server.pid);
  const started = performance.now();
  for (const { child } of processes) child.stdin.write('count\n');
  await sleep(seconds * 1_000);
  const wallMs = performance.now() - started;
  const cpuMs = cpuMilliseconds(server.pid) - cpuBefore;
  const peakBytes = peakResidentBytes(server.pid);
  const reports: ClientReport[] = [];
  for (const { child, lines } of processes) {
    const ended = once(child, 'exit');
    child.stdin.end();
    reports.push(JSON.parse((await lines.next()).value as string) as ClientReport);
    await ended;
  }
  const sum = (read: (report: ClientReport) => number) => reports.reduce((total, report) => total + read(report), 0);
  return {
    events: sum(({ events }) => events),
    lost: sum(({ lost }) => lost),
    closed: sum(({ closed }) => closed),
    fewest: Math.min(...reports.map(({ fewest }) => fewest)),
    most: Math.max(...reports.map(({ most }) => most)),
    delays: reports.flatMap(({ delays }) => delays),
    cpuMs,
    wallMs,
    idleBytes,
    peakBytes,
  };
};

const rowOf = (clients: number, { events, lost, delays, cpuMs, wallMs, idleBytes, peakBytes }: Measured): string[] => [
  clients.toLocaleString('en'),
  events.toLocaleString('en'),
  String(lost),
  quantile(delays, 0.5).toFixed(1),
  quantile(delays, 0.99).toFixed(1),
  quantile(delays, 1).toFixed(1),
  `${((cpuMs / wallMs) * 100).toFixed(0)} %`,
  ((cpuMs / events) * 1_000).toFixed(1),
  (peakBytes / MIB).toFixed(0),
  `${((peakBytes - idleBytes) / MIB).toFixed(0)} MiB`,
];
