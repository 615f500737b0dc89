import { parseArgs } from 'node:util';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { createJsonClient, type JsonClient } from '../lib/json-client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, defaultOurCommand, ourServer } from '../lib/our-server.ts';
import {
  exactCpuMilliseconds,
  peakResidentBytes,
  requireLinux,
  residentBytes,
  resetPeak,
} from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { startServer } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import { fileCases, type Cost, type FileCase } from './cases.ts';

/** Calls before the measured ones: of the tool as such, and with the file. */
const WARM_UP = { empty: 200, file: 5 };

const ROUNDS = 3;

interface Report {
  own: Cost[];
  baseline: Cost[];
  peakBytes: number;
}

/** Results with a file, over HTTP from a worker, against what is the least to be done with the file. */
export async function runResources(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: 'string', default: '10' },
      ours: { type: 'string', default: defaultOurCommand },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  const rows: string[][] = [];
  for (const fileCase of fileCases) {
    const report = await withTemporaryDirectory((directory) =>
      measure(fileCase, directory, values.ours, Number(values.calls)),
    );
    rows.push(rowOf(fileCase, report));
    console.error(rows.at(-1)?.join('  '));
  }
  const head = ['file', 'CPU ms', 'baseline', 'its CPU ms', 'ratio', 'target', 'p50 ms', "baseline's", 'peak memory'];
  const text = `${markdownTable(head, rows)}\n\n${describeMachine()}; ${ROUNDS} rounds of ${values.calls} calls one after the other, each with another file, in turn with the baseline.`;
  console.log(text);
  if (values.write) writeTable('resources', text);
}

/** A server for each case, so that its peak is its own. */
async function measure(fileCase: FileCase, directory: string, command: string, calls: number): Promise<Report> {
  const server = await startServer(ourServer(command, directory, 'bench/resources/plugins'));
  const client = createJsonClient(server.baseUrl, { authorization: `Bearer ${apiKey}` }, 1);
  try {
    const call = (way: string) => timedCall(client, way, fileCase.bytes);
    for (let index = 0; index < WARM_UP.empty; index += 1) await call('nothing');
    for (let index = 0; index < WARM_UP.file; index += 1) await call(fileCase.way);
    const report: Report = { own: [], baseline: [], peakBytes: 0 };
    resetPeak(server.pid);
    const before = residentBytes(server.pid);
    // In rows of each: after a pause either is slower, because V8 and the caches have given away what it uses.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let index = 0; index < calls; index += 1) report.baseline.push(await fileCase.baseline(directory));
      for (let index = 0; index < calls; index += 1) {
        const cpu = exactCpuMilliseconds(server.pid);
        const wallMs = await call(fileCase.way);
        report.own.push({ wallMs, cpuMs: exactCpuMilliseconds(server.pid) - cpu });
      }
    }
    report.peakBytes = peakResidentBytes(server.pid) - before;
    return report;
  } finally {
    client.close();
    await server.stop();
  }
}

async function timedCall(client: JsonClient, way: string, bytes: number): Promise<number> {
  const body = JSON.stringify({ tool: 'BenchFiles', arguments: { way, bytes } });
  const started = performance.now();
  const { status, text } = await client.send('POST', '/v1/human/tool', body);
  const elapsed = performance.now() - started;
  const expected = way === 'nothing' ? '"status":"success"' : `"sizeBytes":${bytes},`;
  if (status !== 200 || !text.includes(expected))
    throw new Error(`${way} of ${bytes}: ${status} ${text.slice(0, 500)}`);
  return elapsed;
}

function rowOf({ label, baselineLabel, target }: FileCase, { own, baseline, peakBytes }: Report): string[] {
  const median = (costs: Cost[], of: keyof Cost) =>
    quantile(
      costs.map((cost) => cost[of]),
      0.5,
    );
  const cpu = median(own, 'cpuMs');
  const least = median(baseline, 'cpuMs');
  return [
    label,
    cpu.toFixed(1),
    baselineLabel,
    least.toFixed(1),
    `${(cpu / least).toFixed(2)} ×`,
    `≤ ${target} ×`,
    median(own, 'wallMs').toFixed(1),
    median(baseline, 'wallMs').toFixed(1),
    `+${(peakBytes / 1024 / 1024).toFixed(0)} MiB`,
  ];
}
