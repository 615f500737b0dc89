import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { defaultOurCommand } from '../lib/our-server.ts';
import { requireLinux } from '../lib/process-stats.ts';
import { startServer } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import { contenders, REQUEST_ID } from './contenders.ts';
import type { Contender } from './contenders.ts';
import { echoCases } from './echo-cases.ts';
import { installPeers } from './install-peers.ts';
import type { LoadOrder, LoadReport } from './load-generator.ts';
import { writeTable } from './write-table.ts';

const CONNECTIONS = 16;
const MEBIBYTE = 1024 * 1024;

/** Measures one validated tool call over HTTP, ours beside its peers, and prints the medians of all rounds. */
export async function runHttpCall(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      ours: { type: 'string', default: defaultOurCommand },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  const chosen = chooseContenders(contenders(values.ours), values.only);
  installPeers();

  const rounds = Number(values.rounds);
  const reports = new Map<string, LoadReport[]>(chosen.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Rotated, so that nobody always runs first or always after the same neighbour.
    const order = chosen.map((_, place) => chosen[(place + round) % chosen.length]!);
    for (const contender of order) {
      const report = await measure(contender, Number(values['warm-up']), Number(values.seconds));
      reports.get(contender.id)!.push(report);
      console.error(
        `round ${round + 1}/${rounds}  ${contender.id}  ${report.cpuMsPerRequest.toFixed(3)} ms CPU  ${report.requestsPerSecond.toFixed(0)}/s`,
      );
    }
  }

  const text = `${resultTable(chosen, reports)}\n\n${describeRun(rounds, values.seconds)}`;
  console.log(text);
  if (values.write) writeTable('http-call', text);
}

function chooseContenders(all: Contender[], only: string | undefined): Contender[] {
  if (only === undefined) return all;
  const ids = only.split(',');
  const unknown = ids.find((id) => !all.some((contender) => contender.id === id));
  if (unknown !== undefined)
    throw new Error(`No contender "${unknown}"; there are ${all.map(({ id }) => id).join(', ')}.`);
  return all.filter(({ id }) => ids.includes(id));
}

/** A new server process on an empty data directory for each measurement, so that no round inherits the last one's heap. */
function measure(contender: Contender, warmUpSeconds: number, seconds: number): Promise<LoadReport> {
  return withTemporaryDirectory(async (dataDirectory) => {
    const server = await startServer(contender.server(dataDirectory));
    try {
      return await generateLoad({
        baseUrl: server.baseUrl,
        serverPid: server.pid,
        connections: CONNECTIONS,
        warmUpSeconds,
        seconds,
        path: contender.path,
        headers: { ...contender.headers, ...(await contender.open?.(server.baseUrl)) },
        requestId: REQUEST_ID,
        calls: echoCases.map(({ input, output, marker }) => ({ body: contender.body(input), output, marker })),
        outputAt: contender.outputAt,
        required: contender.required,
      });
    } catch (error) {
      throw new Error(`${contender.id} failed. Its log ends with:\n${server.logTail()}`, { cause: error });
    } finally {
      await server.stop();
    }
  });
}

function generateLoad(order: LoadOrder): Promise<LoadReport> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadReport>();
  const generator = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));
  generator.on('message', (report) => resolve(report as LoadReport));
  generator.on('error', reject);
  generator.on('exit', (code) => reject(new Error(`The load generator ended with ${code}; its error is above.`)));
  generator.send(order);
  return promise;
}

function resultTable(chosen: readonly Contender[], reports: ReadonlyMap<string, LoadReport[]>): string {
  const echo = reports.get('hono');
  const rows = chosen.map(({ id, label }) => {
    const own = reports.get(id)!;
    const ratios = own.map((report, round) => report.cpuMsPerRequest / (echo?.[round]?.cpuMsPerRequest ?? NaN));
    const column = (read: (report: LoadReport) => number, digits: number): string =>
      median(own.map(read)).toFixed(digits);
    return [
      label,
      column((report) => report.cpuMsPerRequest, 3),
      echo ? `${median(ratios).toFixed(2)} ×` : '–',
      column((report) => report.requestsPerSecond, 0),
      column((report) => report.p50Ms, 2),
      column((report) => report.p99Ms, 2),
      column((report) => report.residentBytes / MEBIBYTE, 0),
    ];
  });
  return markdownTable(['contender', 'CPU ms/call', 'CPU, echo = 1', 'calls/s', 'p50 ms', 'p99 ms', 'RSS MiB'], rows);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function describeRun(rounds: number, seconds: string): string {
  return `${describeMachine()}; ${CONNECTIONS} connections; median of ${rounds} rounds of ${seconds} s.`;
}
