import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { writeTable } from '../http-call/write-table.ts';
import { closedLoopOver } from '../lib/closed-loop.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { createJsonClient, type JsonClient } from '../lib/json-client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, defaultOurCommand, ourServer } from '../lib/our-server.ts';
import { descendants, isAlive, requireLinux } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { startServer } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import { waitUntil } from '../lib/wait-until.ts';
import { findGrowth, readHoldings, type Holdings } from './growth.ts';

const IN_FLIGHT = 16;
const STALL_TIMEOUT_MS = 150;
const CANCEL_AFTER_MS = 30;
const SETTLE_MS = 20_000;

/** Of a hundred calls one crashes its process, one runs into its time-out, and one is given up by its client. */
type Kind = 'work' | 'crash' | 'timeout' | 'cancel';
const kindOf = (index: number): Kind =>
  index % 100 === 17 ? 'crash' : index % 100 === 42 ? 'timeout' : index % 100 === 71 ? 'cancel' : 'work';

interface Tally {
  right: number;
  /** Calls beside a crash that were repeated and came out right. */
  retried: number;
  /** Calls beside crashes that failed with TRANSPORT_FAILURE, after all attempts. */
  interrupted: number;
  wrong: string[];
  /** Milliseconds of each right `work` call, in the order of their ends. */
  workMs: number[];
}

/** A day of use in some minutes: faults all the time, and nothing left over at the end. */
export async function runDay(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      'worker-calls': { type: 'string', default: '100000' },
      'oneshot-calls': { type: 'string', default: '2000' },
      ours: { type: 'string', default: defaultOurCommand },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  await withTemporaryDirectory(async (dataDirectory) => {
    const plugins = 'bench/http-call/plugins,bench/soak/plugins';
    const server = await startServer(ourServer(values.ours, dataDirectory, plugins));
    const client = createJsonClient(server.baseUrl, { authorization: `Bearer ${apiKey}` }, IN_FLIGHT);
    const rows: string[][] = [];
    const failures: string[] = [];
    try {
      await callMany(client, server.baseUrl, 'DayWorker', 2_000);
      await callMany(client, server.baseUrl, 'DayOneshot', 40);
      await sleep(2_000);
      const before = readHoldings(server.pid);
      for (const [tool, count] of [
        ['DayWorker', Number(values['worker-calls'])],
        ['DayOneshot', Number(values['oneshot-calls'])],
      ] as const) {
        const started = performance.now();
        const tally = await callMany(client, server.baseUrl, tool, count);
        const seconds = (performance.now() - started) / 1_000;
        rows.push([`${tool} calls`, String(count), `${seconds.toFixed(0)} s`, verdictOf(tally)]);
        const tenth = Math.floor(tally.workMs.length / 10);
        const [first, last] = [tally.workMs.slice(0, tenth), tally.workMs.slice(-tenth)];
        for (const at of [0.5, 0.99]) {
          const label = `p${at * 100} ms, first and last tenth`;
          rows.push([label, quantile(first, at).toFixed(1), quantile(last, at).toFixed(1), '']);
        }
        failures.push(...tally.wrong.slice(0, 10));
      }
      await waitUntil(() => findGrowth(before, readHoldings(server.pid)).length === 0, SETTLE_MS);
      const after = readHoldings(server.pid);
      const grown = findGrowth(before, after);
      for (const kind of Object.keys(before) as (keyof Holdings)[]) {
        const verdict = grown.includes(kind) ? 'GREW' : 'settled';
        rows.push([`${kind}, before and after`, String(before[kind]), String(after[kind]), verdict]);
      }
      failures.push(...grown.map((kind) => `${kind} grew from ${before[kind]} to ${after[kind]}.`));
      const children = descendants(server.pid);
      client.close();
      await server.stop();
      await waitUntil(() => !children.some(isAlive), SETTLE_MS);
      const left = children.filter(isAlive);
      rows.push(['processes at the end, and after it', String(children.length), String(left.length), '']);
      if (left.length > 0) failures.push(`${left.length} processes outlived the server.`);
    } catch (error) {
      throw new Error(`The day broke off. The server's log ends with:\n${server.logTail()}`, { cause: error });
    } finally {
      await server.stop();
    }
    const text = `${markdownTable(['day', 'count', 'then', 'verdict'], rows)}\n\n${describeMachine()}.`;
    console.log(text);
    if (values.write) writeTable('day', text);
    if (failures.length > 0) throw new Error(`The day failed:\n${failures.join('\n')}`);
  });
}

async function callMany(client: JsonClient, baseUrl: string, tool: string, count: number): Promise<Tally> {
  const tally: Tally = { right: 0, retried: 0, interrupted: 0, wrong: [], workMs: [] };
  await closedLoopOver(IN_FLIGHT, count, async (index) => {
    const kind = kindOf(index);
    if (kind === 'cancel') {
      await leaveInTheMiddle(baseUrl, tool);
      tally.right += 1;
      return;
    }
    const text = `call ${index} of ${tool}`;
    const started = performance.now();
    const result = await send(client, tool, kind, text);
    const elapsed = performance.now() - started;
    const fault = faultOf(result, kind, text);
    if (fault === null) {
      tally.right += 1;
      if (kind === 'work') tally.workMs.push(elapsed);
      if (result.execution.attempt > 1) tally.retried += 1;
    } else if (kind !== 'crash' && result.error?.code === 'TRANSPORT_FAILURE') tally.interrupted += 1;
    else tally.wrong.push(fault);
  });
  return tally;
}

async function send(client: JsonClient, tool: string, kind: Kind, text: string): Promise<CanonicalToolResult> {
  const args = {
    work: { command: 'Work', text },
    crash: { command: 'Crash' },
    timeout: { command: 'Stall', heeds: text.length % 2 === 0 },
    cancel: {},
  }[kind];
  const options = kind === 'timeout' ? { timeoutMs: STALL_TIMEOUT_MS } : {};
  const answer = await client.send('POST', '/v1/human/tool', JSON.stringify({ tool, arguments: args, options }));
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text) as CanonicalToolResult;
}

/** What is wrong with the answer, or null. */
function faultOf(result: CanonicalToolResult, kind: Kind, text: string): string | null {
  const got = `${result.status}/${result.error?.code ?? 'none'}`;
  const wanted = {
    work: 'success/none',
    crash: 'error/TRANSPORT_FAILURE',
    timeout: 'timeout/TOOL_TIMEOUT',
    cancel: '',
  }[kind];
  if (got !== wanted) return `${kind} came to ${got}, not ${wanted}: ${result.error?.message ?? ''}`;
  if (kind !== 'work') return null;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return (result.data as { sha256: string }).sha256 === sha256 ? null : `"${text}" got the answer of another call`;
}

/** A client that hangs up: its call is cancelled, and nobody hears of it. */
async function leaveInTheMiddle(baseUrl: string, tool: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = JSON.stringify({ tool, arguments: { command: 'Stall', heeds: true } });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const outgoing = httpRequest(`${baseUrl}/v1/human/tool`, { method: 'POST', headers, agent: false });
  outgoing.on('error', () => resolve());
  outgoing.on('close', () => resolve());
  outgoing.end(body);
  await sleep(CANCEL_AFTER_MS);
  outgoing.destroy();
  await promise;
}

const verdictOf = ({ right, retried, interrupted, wrong }: Tally): string =>
  `${right} right (${retried} at a later attempt), ${interrupted} interrupted, ${wrong.length} wrong`;
