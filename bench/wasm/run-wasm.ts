import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createWorkerSandbox } from '../../adapters/node/wasm/worker-sandbox.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import { DEFAULT_MODULE_RULES } from '../../src/sandbox/module-rules.ts';
import { prepareModule } from '../../src/sandbox/prepare-module.ts';
import { compileGuest } from '../../test/support/guest-wat.ts';
import { ECHO } from '../../test/support/plain-guests.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { requireLinux } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { compileAssemblyScript, WORD_COUNT } from './assembly-guests.ts';
import { contenders, type BenchGuest, type Contender } from './contenders.ts';
import { measureFuelOverhead, type FuelOverhead } from './fuel-overhead.ts';
import { measureLongRun, type LongRun } from './long-run.ts';
import { measureOverruns, type Overrun } from './overruns.ts';

const WARM_UP_CALLS = 1_000;
const PACE_MS = 5;
const PACED_CALLS = 400;

interface Figures {
  guest: string;
  contender: string;
  chainedMs: number[];
  pacedMs: number[];
}

/** A sandboxed call beside raw Extism, and what the limits cost and hold. */
export async function runWasm(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: 'string', default: '10000' },
      long: { type: 'string', default: '100000' },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  const sandbox = createWorkerSandbox({ limits: DEFAULT_LIMITS, logger: silentLogger });
  const guests = await openGuests();
  const figures: Figures[] = [];
  for (const guest of guests) {
    for (const contender of contenders) figures.push(await measure(contender, guest, sandbox, Number(values.calls)));
  }
  const overhead = await measureFuelOverhead();
  const overruns = await measureOverruns(sandbox);
  await sandbox.close();
  const long = Number(values.long) > 0 ? await measureLongRun(guests[1]!.original, Number(values.long)) : null;
  const text = [
    callTable(figures),
    overheadTable(overhead),
    overrunTable(overruns),
    ...(long === null ? [] : [longTable(long)]),
    `${describeMachine()}; every answer checked.`,
  ].join('\n\n');
  console.log(text);
  if (values.write) writeTable('wasm', text);
}

async function openGuests(): Promise<BenchGuest[]> {
  const input = new TextEncoder().encode('{"command":"Run","arguments":{"text":"the quick brown fox"},"context":{}}');
  const written = compileGuest(ECHO, 'small');
  const assembled = await compileAssemblyScript(WORD_COUNT);
  const guest = async (name: string, original: Uint8Array<ArrayBuffer>, output: string): Promise<BenchGuest> => {
    const prepared = await prepareModule(original, { ...DEFAULT_MODULE_RULES, memoryPages: 256 });
    if (!prepared.ok) throw new Error(prepared.reason);
    return { name, original, sandboxed: prepared.module.sandbox, input, output };
  };
  return [
    await guest('hand-written', written, new TextDecoder().decode(input)),
    await guest('AssemblyScript', assembled, '{"status":"success","data":{"words":4,"different":4}}'),
  ];
}

async function measure(contender: Contender, guest: BenchGuest, sandbox: WasmSandbox, calls: number): Promise<Figures> {
  const opened = await contender.open(guest, sandbox);
  try {
    const timed = async (): Promise<number> => {
      const started = performance.now();
      const output = await opened.call();
      const elapsed = performance.now() - started;
      if (output !== guest.output) throw new Error(`${contender.label}: ${output}`);
      return elapsed;
    };
    for (let call = 0; call < WARM_UP_CALLS; call += 1) await timed();
    const chainedMs: number[] = [];
    for (let call = 0; call < calls; call += 1) chainedMs.push(await timed());
    const pacedMs: number[] = [];
    for (let call = 0; call < PACED_CALLS; call += 1) {
      await sleep(PACE_MS);
      pacedMs.push(await timed());
    }
    console.error(`${guest.name}, ${contender.label}: p50 ${quantile(chainedMs, 0.5).toFixed(3)} ms`);
    return { guest: guest.name, contender: contender.label, chainedMs, pacedMs };
  } finally {
    await opened.close();
  }
}

function callTable(figures: readonly Figures[]): string {
  const rows = figures.map(({ guest, contender, chainedMs, pacedMs }) => [
    `${guest}: ${contender}`,
    quantile(chainedMs, 0.5).toFixed(3),
    quantile(chainedMs, 0.99).toFixed(2),
    quantile(pacedMs, 0.5).toFixed(3),
    quantile(pacedMs, 0.99).toFixed(2),
  ]);
  return markdownTable(['guest and host', 'chained p50 ms', 'p99', 'paced p50 ms', 'p99'], rows);
}

function overheadTable(overhead: readonly FuelOverhead[]): string {
  const rows = overhead.map(({ kernel, plainMs, meteredMs }) => [
    kernel.replace('_', ''),
    plainMs.toFixed(2),
    meteredMs.toFixed(2),
    percent(meteredMs / plainMs),
  ]);
  const plain = overhead.reduce((sum, { plainMs }) => sum + plainMs, 0);
  const metered = overhead.reduce((sum, { meteredMs }) => sum + meteredMs, 0);
  rows.push(['all', plain.toFixed(2), metered.toFixed(2), percent(metered / plain)]);
  return markdownTable(['compute-bound guest', 'plain ms', 'metered ms', 'fuel costs'], rows);
}

const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(0)} %`;

function overrunTable(overruns: readonly Overrun[]): string {
  const rows = overruns.map(({ name, ended, tookMs, pastDeadlineMs }) => [
    name,
    ended,
    tookMs.toFixed(1),
    pastDeadlineMs.length === 0 ? '' : quantile(pastDeadlineMs, 0.5).toFixed(1),
    pastDeadlineMs.length === 0 ? '' : Math.max(...pastDeadlineMs).toFixed(1),
  ]);
  const past = overruns.flatMap(({ pastDeadlineMs }) => pastDeadlineMs);
  rows.push(['all together', '', '', quantile(past, 0.5).toFixed(1), Math.max(...past).toFixed(1)]);
  const head = ['a guest that …', 'ended by', 'after ms', 'with fuel for ever: ms past its deadline', 'latest of five'];
  return markdownTable(head, rows);
}

function longTable({ calls, seconds, p50Ms, p99Ms, residentMiB }: LongRun): string {
  return markdownTable(
    [`${calls} calls over HTTP in ${seconds.toFixed(0)} s`, 'begin', 'half', 'end'],
    [
      ['p50 ms of the first and last tenth', p50Ms[0].toFixed(2), '', p50Ms[1].toFixed(2)],
      ['p99 ms of the first and last tenth', p99Ms[0].toFixed(2), '', p99Ms[1].toFixed(2)],
      ['RSS of the server, MiB', ...residentMiB.map(String)],
    ],
  );
}
