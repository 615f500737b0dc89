// One long-lived process, many calls: what belongs to which, who is to blame, and when the process is replaced.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import {
  CANCELLED,
  detailsOf,
  INVALID_RESULT,
  SUCCESS,
  TIMEOUT,
  TRANSPORT_FAILURE,
  verdictOf,
} from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesLeft, processesWith, until } from '../../support/processes.ts';

let host: NodeRuntime;
const open = async (communication: JsonObject = {}, limits: Partial<Limits> = {}) => {
  const worker = { protocol: 'stdio', mode: 'worker', timeoutMs: 20_000, ...communication };
  host = await openNodeRuntime(
    [{ name: 'Worker', command: 'node', args: ['worker.mjs'], more: { communication: worker } }],
    { limits },
  );
};
afterEach(async () => {
  const { faults, dataDirectory } = host;
  await host.close();
  expect(await processesLeft(dataDirectory)).toEqual([]);
  expect(faults).toEqual([]);
});

const call = (act: string, args: JsonObject = {}, options: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  host.call('Worker', { do: act, ...args }, options);
const processes = () => processesWith(`${host.dataDirectory}/plugins/Worker`);
const pidOf = (result: { data: unknown }) => (result.data as { pid: number }).pid;

describe('a worker', () => {
  it('answers call after call in one process', async () => {
    await open();
    const results = [];
    for (let index = 0; index < 5; index += 1) results.push(await call('echo', { index }));
    expect(results.map(({ data }) => data)).toEqual(
      Array.from({ length: 5 }, (_, index) => ({ do: 'echo', index, pid: processes()[0]?.pid, served: index + 1 })),
    );
  });

  it('answers many calls at once, in whatever order, each its own', async () => {
    await open();
    const slow = call('sleep', { ms: 300 });
    const quick = await Promise.all(Array.from({ length: 20 }, (_, index) => call('echo', { index })));
    expect(quick.map(({ data }) => (data as { index: number }).index)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect((await slow).data).toMatchObject({ slept: 300, pid: pidOf(quick[0]!) });
    expect(processes()).toHaveLength(1);
  });

  it('passes progress to the call that it belongs to', async () => {
    await open();
    const results = await Promise.all([call('progress'), call('progress')]);
    for (const { execution } of results) {
      const own = host.events.filter(({ invocationId }) => invocationId === execution.invocationId);
      expect(own.map(({ stage }) => stage)).toEqual(Array.from({ length: 3 }, () => execution.invocationId));
      expect(own.map(({ progress }) => progress)).toEqual([0.25, 0.5, 0.75]);
    }
  });

  it('is started once for a burst of calls, and never more often than the manifest allows', async () => {
    await open({ processes: 3, concurrency: 12 });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, processes().length);
    }, 5);
    const results = await Promise.all(Array.from({ length: 60 }, () => call('sleep', { ms: 40 })));
    clearInterval(watch);
    expect(results.map(verdictOf)).toEqual(Array.from({ length: 60 }, () => SUCCESS));
    expect(new Set(results.map(pidOf)).size).toBe(3);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('has no more calls at once than the manifest allows; the rest waits, and what is too much is turned away', async () => {
    await open({ concurrency: 2 }, { queuedCalls: 3 });
    const results = await Promise.all(Array.from({ length: 8 }, () => call('sleep', { ms: 100 })));
    const codes = results.map(({ error }) => error?.code ?? 'none');
    expect(codes.filter((code) => code === 'none')).toHaveLength(5);
    expect(codes.filter((code) => code === 'VCP.OVERLOADED')).toHaveLength(3);
  });
});

describe('a call that is stopped', () => {
  it('ends at once, and a worker that heeds the cancel frame goes on', async () => {
    await open();
    const first = await call('echo');
    const controller = new AbortController();
    const sleeping = call('sleep', { ms: 60_000 }, { signal: controller.signal });
    const beside = call('sleep', { ms: 400 });
    setTimeout(() => controller.abort(), 100);
    expect(verdictOf(await sleeping)).toEqual(CANCELLED);
    expect(verdictOf(await beside)).toEqual(SUCCESS);
    expect(pidOf(await call('echo'))).toBe(pidOf(first));
  });

  it('ends at its deadline, also when the worker lets nothing in any more; the next call gets a new one', async () => {
    await open();
    const first = await call('echo');
    expect(verdictOf(await call('block', {}, { timeoutMs: 200 }))).toEqual(TIMEOUT);
    const next = await call('echo');
    expect(verdictOf(next)).toEqual(SUCCESS);
    expect(pidOf(next)).not.toBe(pidOf(first));
  });

  it('takes the others with it when it does not heed the cancel frame, and says so', async () => {
    await open();
    const beside = call('sleep', { ms: 60_000 });
    const ignoring = call('ignore', {}, { timeoutMs: 200 });
    expect(verdictOf(await ignoring)).toEqual(TIMEOUT);
    const result = await beside;
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(result.error?.message).toMatch(/another call/);
  });

  it('lets the others end when it does not heed the cancel frame, but the worker is alive', async () => {
    await open();
    const first = await call('echo');
    const beside = call('tick', { ms: 2_500 });
    expect(verdictOf(await call('ignore', {}, { timeoutMs: 200 }))).toEqual(TIMEOUT);
    const next = await call('echo');
    expect(verdictOf(await beside)).toEqual(SUCCESS);
    expect(pidOf(next)).not.toBe(pidOf(first));
  });

  it('keeps its place until the worker has given it up', async () => {
    await open({ concurrency: 1 });
    await call('echo');
    const stopped = await call('ignore', {}, { timeoutMs: 100 });
    expect(verdictOf(stopped)).toEqual(TIMEOUT);
    const next = await call('echo');
    expect(verdictOf(next)).toEqual(SUCCESS);
    expect((next.data as { served: number }).served).toBe(1);
  });
});

describe('a worker that breaks the protocol is replaced', () => {
  it.each([
    ['garbage', INVALID_RESULT, /stdout/],
    ['nameless', INVALID_RESULT, /invocationId/],
    ['stranger', INVALID_RESULT, /not given/],
    ['flood', INVALID_RESULT, /larger than 1000000 bytes/],
    ['crash', TRANSPORT_FAILURE, /exit code 7/],
  ] as const)('%s', async (act, verdict, message) => {
    await open({}, { frameBytes: 1_000_000 });
    const first = await call('echo');
    const result = await call(act);
    expect(verdictOf(result)).toEqual(verdict);
    expect(result.error?.message).toMatch(message);
    const next = await call('echo');
    expect(verdictOf(next)).toEqual(SUCCESS);
    expect(pidOf(next)).not.toBe(pidOf(first));
  });

  it('quotes what was printed and the last words on stderr to the only call there was', async () => {
    await open();
    expect(detailsOf(await call('garbage'))).toMatchObject({ firstOffendingOutput: 'hello, I am a banner' });
    expect(detailsOf(await call('crash'))).toMatchObject({ exitCode: 7, stderr: 'about to crash' });
  });

  it('tells several calls that one of them was to blame, and nobody another’s words', async () => {
    await open();
    const [beside, crashed] = await Promise.all([call('sleep', { ms: 60_000 }), call('crash')]);
    for (const result of [beside, crashed]) {
      expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
      expect(detailsOf(result)).not.toHaveProperty('stderr');
    }
  });

  it('does not take an answer back that was given before', async () => {
    await open();
    const result = await call('twice');
    expect(result.data).toEqual({ first: true });
    await until('the worker has gone', () => processes().length === 0);
    expect(verdictOf(await call('echo'))).toEqual(SUCCESS);
  });

  it.each(['mutter', 'printLater'])(
    'keeps what one call printed, also after its answer, from the next: %s',
    async (act) => {
      await open();
      expect(verdictOf(await call(act, { text: 'a secret of the first' }))).toEqual(SUCCESS);
      const next = await call('crashLater');
      expect(next.status).toBe('error');
      expect(JSON.stringify(next)).not.toContain('secret');
    },
  );

  it('starts no process for ever when the command is missing', async () => {
    const communication = { protocol: 'stdio', mode: 'worker' };
    host = await openNodeRuntime([{ name: 'Worker', command: 'no-such-program-here', more: { communication } }]);
    const results = await Promise.all([call('echo'), call('echo')]);
    expect(results.map(verdictOf)).toEqual([TRANSPORT_FAILURE, TRANSPORT_FAILURE]);
    expect(results[0]?.error?.message).toMatch(/no-such-program-here.*was not found/);
  });
});

describe('a worker is replaced in good order', () => {
  it('after the calls that it may answer', async () => {
    await open({}, { workerCalls: 3 });
    const pids = [];
    for (let index = 0; index < 7; index += 1) pids.push(pidOf(await call('echo')));
    expect(new Set(pids.slice(0, 3)).size).toBe(1);
    expect(new Set(pids).size).toBe(3);
  });

  it('under load that never lets it rest, without a call lost', async () => {
    await open({ concurrency: 4 }, { workerCalls: 5 });
    const results = await Promise.all(Array.from({ length: 60 }, () => call('sleep', { ms: 10 })));
    expect(results.map(verdictOf)).toEqual(Array.from({ length: 60 }, () => SUCCESS));
    expect(new Set(results.map(pidOf)).size).toBeGreaterThanOrEqual(5);
  });

  it('when its memory has grown', async () => {
    await open({}, { workerMemoryBytes: 200 * 1024 * 1024 });
    const first = pidOf(await call('grow', { bytes: 250 * 1024 * 1024 }));
    let last = first;
    for (let index = 0; index < 200 && last === first; index += 1) last = pidOf(await call('hush'));
    expect(last).not.toBe(first);
  });

  it('when it has had nothing to do', async () => {
    await open({}, { workerIdleMs: 100 });
    await call('echo');
    await until('the idle worker has gone', () => processes().length === 0);
    expect(verdictOf(await call('echo'))).toEqual(SUCCESS);
  });

  it('when it was started ahead and no call came', async () => {
    await open({ processes: 2, concurrency: 4 }, { workerIdleMs: 200 });
    await Promise.all([call('sleep', { ms: 100 }), call('sleep', { ms: 100 })]);
    await until('both have gone', () => processes().length === 0);
  });

  it('when it left by itself between two calls', async () => {
    await open();
    const first = await call('leave');
    // That its process has gone is not yet known to the server: a call that comes in between fails with it.
    await until('the server has heard of it', () => host.logged.includes('stdio.worker-failed'));
    expect(verdictOf(first)).toEqual(SUCCESS);
    expect(verdictOf(await call('echo'))).toEqual(SUCCESS);
  });
});
