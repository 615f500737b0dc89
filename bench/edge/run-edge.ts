// The same server on Node, Deno and workerd: `npm run bench -- edge [--seconds 3] [--rounds 3] [--write]`.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { EDGE_DEFAULTS } from '../../adapters/cloudflare/edge-defaults.ts';
import { buildEdge } from '../../adapters/node/edge-build/build-edge.ts';
import { bundleWorker } from '../../adapters/node/edge-build/bundle-worker.ts';
import { writeWorkerEntry } from '../../adapters/node/edge-build/worker-entry.ts';
import { moduleTrust } from '../../adapters/node/module-trust.ts';
import { loadConfiguration } from '../../src/server/configuration.ts';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, repositoryRoot } from '../lib/our-server.ts';
import { requireLinux } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import type { EdgeCase, EdgeOrder, EdgeReport } from './load-generator.ts';
import { edgeRuntimes, pluginDirectories, trustedModule, type EdgeRuntime } from './runtimes.ts';

const CONNECTIONS = 16;

const cases: EdgeCase[] = [
  { id: 'version', label: 'GET /version', method: 'GET', path: '/version', marker: '"vcp-runtime"' },
  call('direct', 'direct tool', 'BenchEcho', { text: 'naïve', times: 3, tags: ['a', 'b'] }, '"value":"a#2"'),
  call(
    'wasm',
    'WebAssembly tool',
    'DateTime',
    { command: 'Convert', time: '2026-07-12T10:00', timeZone: 'Asia/Shanghai', to: ['Europe/Berlin'] },
    '2026-07-12T04:00:00',
  ),
];

function call(id: string, label: string, tool: string, args: object, marker: string): EdgeCase {
  return { id, label, method: 'POST', path: '/v1/human/tool', body: JSON.stringify({ tool, arguments: args }), marker };
}

interface Measured {
  startMs: number;
  reports: Record<string, EdgeReport>;
}

export async function runEdge(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '3' },
      'warm-up': { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  const rounds = Number(values.rounds);
  await withTemporaryDirectory(async (directory) => {
    const built = join(directory, 'worker');
    const sizes = await build(built);
    const runtimes = edgeRuntimes(built);
    const measured = new Map<string, Measured[]>(runtimes.map(({ id }) => [id, []]));
    // Caches of compiled programs are filled by the first start of each, which is none of the cold starts.
    for (const runtime of runtimes) await withServer(runtime, () => Promise.resolve());
    for (let round = 0; round < rounds; round += 1) {
      // Rotated, so that nobody always runs first or always after the same neighbour.
      for (const place of runtimes.keys()) {
        const runtime = runtimes[(place + round) % runtimes.length]!;
        const one = await measure(runtime, Number(values['warm-up']), Number(values.seconds));
        measured.get(runtime.id)!.push(one);
        const speeds = cases.map(({ id }) => `${id} ${one.reports[id]!.requestsPerSecond.toFixed(0)}/s`);
        console.error(
          `round ${round + 1}/${rounds}  ${runtime.id}  ${one.startMs.toFixed(0)} ms start  ${speeds.join('  ')}`,
        );
      }
    }
    const run = `${describeMachine()}; ${CONNECTIONS} connections; median of ${rounds} rounds of ${values.seconds} s.`;
    const text = [startTable(runtimes, measured), loadTable(runtimes, measured), sizes, run].join('\n\n');
    console.log(text);
    if (values.write) writeTable('edge', text);
  });
}

/** A new server on an empty store for each measurement. */
async function withServer<T>(
  runtime: EdgeRuntime,
  use: (server: Awaited<ReturnType<EdgeRuntime['start']>>) => Promise<T>,
): Promise<T> {
  return withTemporaryDirectory(async (directory) => {
    const server = await runtime.start(directory);
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  });
}

function measure(runtime: EdgeRuntime, warmUpSeconds: number, seconds: number): Promise<Measured> {
  return withServer(runtime, async ({ baseUrl, pid, startMs }) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const order = { baseUrl, serverPid: pid, headers, connections: CONNECTIONS, warmUpSeconds, seconds, cases };
    return { startMs, reports: await generateLoad(order) };
  });
}

function generateLoad(order: EdgeOrder): Promise<Record<string, EdgeReport>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, EdgeReport>>();
  const generator = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));
  generator.on('message', (reports) => resolve(reports as Record<string, EdgeReport>));
  generator.on('error', reject);
  generator.on('exit', (code) => reject(new Error(`The load generator ended with ${code}; its error is above.`)));
  generator.send(order);
  return promise;
}

type Reading = (measured: Measured) => number;

/** The median of a runtime, and that of its ratios to Node in the same round. */
const columns =
  (measured: ReadonlyMap<string, Measured[]>, id: string) =>
  (read: Reading, digits: number): [string, string] => {
    const own = measured.get(id)!;
    const node = measured.get('node')!;
    const ratios = own.map((one, round) => read(one) / read(node[round]!));
    return [quantile(own.map(read), 0.5).toFixed(digits), `${quantile(ratios, 0.5).toFixed(2)} ×`];
  };

function startTable(runtimes: readonly EdgeRuntime[], measured: ReadonlyMap<string, Measured[]>): string {
  const rows = runtimes.map(({ id, label }) => {
    const column = columns(measured, id);
    const firsts = cases.slice(1).flatMap((one) => column(({ reports }) => reports[one.id]!.firstMs, 1));
    return [label, ...column(({ startMs }) => startMs, 0), ...firsts];
  });
  const firsts = cases.slice(1).flatMap(({ label }) => [`first call, ${label}, ms`, 'Node = 1']);
  return markdownTable(['from a cold start', 'first answer ms', 'Node = 1', ...firsts], rows);
}

function loadTable(runtimes: readonly EdgeRuntime[], measured: ReadonlyMap<string, Measured[]>): string {
  const rows = cases.flatMap(({ id, label }) =>
    runtimes.map((runtime) => {
      const column = columns(measured, runtime.id);
      const of = (read: (report: EdgeReport) => number, digits: number) =>
        column(({ reports }) => read(reports[id]!), digits);
      return [
        `${label}, ${runtime.label}`,
        ...of((report) => report.requestsPerSecond, 0),
        ...of((report) => report.p50Ms, 2),
        ...of((report) => report.p99Ms, 2),
        ...of((report) => report.cpuMsPerRequest, 3),
      ];
    }),
  );
  const measures = ['requests/s', 'p50 ms', 'p99 ms', 'CPU ms'].flatMap((name) => [name, 'Node = 1']);
  return markdownTable(['under load', ...measures], rows);
}

/** Builds the worker that is measured, and tells what it weighs. */
async function build(directory: string): Promise<string> {
  const loaded = loadConfiguration(EDGE_DEFAULTS);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const { limits } = loaded;
  const built = await buildEdge({
    pluginDirectories,
    outDirectory: directory,
    root: repositoryRoot,
    version: '0.0.0',
    limits,
    trust: moduleTrust(() => [trustedModule], [], limits),
  });
  if (built.refused.length > 0) throw new Error(`The build left out ${JSON.stringify(built.refused)}.`);
  const entry = writeWorkerEntry({ root: repositoryRoot, version: '0.0.0', plugins: [], fileOf: () => '' });
  const bare = await bundleWorker({ entry, root: repositoryRoot, directory });
  const folder = join(directory, 'guests');
  const guests = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  const packed = sum(guests.map((bytes) => gzipSync(bytes, { level: 9 }).length));
  const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0);
  return markdownTable(
    ['size', 'kB', 'gzipped kB'],
    [
      ['the program, without plugins', kilobytes(bare.bytes), kilobytes(bare.gzipBytes)],
      [`its ${guests.length} bundled guests, metered`, kilobytes(built.guestBytes), kilobytes(packed)],
      [
        'the worker that was measured',
        kilobytes(built.scriptBytes + built.guestBytes),
        kilobytes(built.scriptGzipBytes + packed),
      ],
    ],
  );
}
