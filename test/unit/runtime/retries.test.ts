import { describe, expect, it } from 'vitest';
import { retryDelay } from '../../../src/runtime/retry-delay.ts';
import type { DeadlineReached } from '../../../src/lib/deadline.ts';
import { TransportError, type TransportAdapter, type TransportCall } from '../../../src/ports/transport.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const failure = (error: Record<string, unknown>) => ({ status: 'error', data: null, error });
const busy = failure({ code: 'SAMPLE.BUSY', message: 'not now', retryable: true });

/** A runtime whose clock stands until a wait moves it on, and whose waits are noted instead of spent. */
const host = (
  answers: readonly unknown[],
  options: MemoryRuntimeOptions & { readonly isIdempotent?: boolean; readonly random?: number } = {},
) => {
  const waits: number[] = [];
  const calls: TransportCall[] = [];
  let now = Date.parse('2026-11-30T12:00:00Z');
  const transport: TransportAdapter = {
    execute: async (call) => {
      const answer = answers[Math.min(calls.length, answers.length - 1)];
      calls.push(call);
      const given = typeof answer === 'function' ? ((await answer(call)) as unknown) : answer;
      if (given instanceof Error) throw given;
      return { payload: given, warnings: [] };
    },
  };
  const parts = createMemoryRuntime({
    manifests: [manifest({}, { idempotent: options.isIdempotent ?? true, errorCodes: ['SAMPLE.BUSY'] })],
    transport,
    clock: { now: () => now, monotonic: () => now },
    pause: {
      random: () => options.random ?? 0.5,
      sleep: async (ms, signal) => {
        if (signal.aborted) throw signal.reason as Error;
        waits.push(ms);
        now += ms;
      },
    },
    ...options,
  });
  return { parts, waits, calls };
};

describe('the wait before another attempt', () => {
  const limits = { retryDelayMs: 200, longestRetryDelayMs: 1_000 };

  it('is drawn from a range that doubles, up to its bound', () => {
    const longest = [1, 2, 3, 4, 5, 60].map((failed) => retryDelay(failed, limits, 1));
    expect(longest).toEqual([200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('may be anything in that range', () => {
    expect([0, 0.25, 0.5, 0.75].map((random) => retryDelay(2, limits, random))).toEqual([0, 100, 200, 300]);
  });
});

describe('a call of an idempotent command', () => {
  it('is repeated until its transport works, and says so', async () => {
    const down = new TransportError('TRANSPORT_FAILURE', 'the process died');
    const { parts, waits } = host([down, down, success({ done: true })]);
    const result = await callSample(parts);
    expect(result).toMatchObject({
      status: 'success',
      data: { done: true },
      execution: { attempt: 3 },
      warnings: [
        {
          code: 'RETRIED',
          message: '2 earlier attempts failed: TRANSPORT_FAILURE, TRANSPORT_FAILURE',
          details: { codes: ['TRANSPORT_FAILURE', 'TRANSPORT_FAILURE'] },
        },
      ],
    });
    expect(waits).toEqual([100, 200]);
    const logged = parts.logged.filter(({ event }) => event === 'call.retried').map(({ fields }) => fields);
    const ids = { invocationId: result.execution.invocationId, requestId: result.execution.requestId };
    expect(logged).toEqual([
      { ...ids, toolName: 'Sample', attempt: 1, errorCode: 'TRANSPORT_FAILURE', delayMs: 100 },
      { ...ids, toolName: 'Sample', attempt: 2, errorCode: 'TRANSPORT_FAILURE', delayMs: 200 },
    ]);
  });

  it('is repeated when the plugin says that its error passes', async () => {
    const { parts } = host([busy, success(1)]);
    expect(await callSample(parts)).toMatchObject({
      status: 'success',
      execution: { attempt: 2 },
      warnings: [{ code: 'RETRIED', details: { codes: ['SAMPLE.BUSY'] } }],
    });
  });

  it('is repeated when the transport says that its fault passes', async () => {
    const { parts } = host([new TransportError('INTERNAL_ERROR', 'warming up', null, true), success(1)]);
    expect((await callSample(parts)).execution.attempt).toBe(2);
  });

  it('ends with the failure of its last attempt', async () => {
    const { parts, calls } = host([busy, new TransportError('TRANSPORT_FAILURE', 'gone'), busy, success(1)]);
    expect(await callSample(parts)).toMatchObject({
      status: 'error',
      error: { code: 'SAMPLE.BUSY', retryable: true },
      execution: { attempt: 3 },
      warnings: [{ code: 'RETRIED', details: { codes: ['SAMPLE.BUSY', 'TRANSPORT_FAILURE'] } }],
    });
    expect(calls).toHaveLength(3);
  });

  it('has as many attempts as the limit says', async () => {
    const { parts, calls } = host([busy], { limits: { callAttempts: 5 } });
    expect((await callSample(parts)).execution.attempt).toBe(5);
    expect(calls).toHaveLength(5);
    const once = host([busy], { limits: { callAttempts: 1 } });
    expect(await callSample(once.parts)).toMatchObject({ execution: { attempt: 1 }, warnings: [] });
  });

  it('does not wait for what its deadline would cut off, and gives the failure at hand', async () => {
    const { parts, waits } = host([busy, success(1)]);
    const result = await callSample(parts, {}, { options: { timeoutMs: 100 } });
    expect(result).toMatchObject({ status: 'error', error: { code: 'SAMPLE.BUSY' }, execution: { attempt: 1 } });
    expect([waits, result.warnings]).toEqual([[], []]);
  });

  it('is over at once when it is cancelled in a wait', async () => {
    const caller = new AbortController();
    const { parts, calls } = host([busy, success(1)], {
      pause: {
        random: () => 0.5,
        sleep: (_ms, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as DeadlineReached), { once: true });
            caller.abort();
          }),
      },
    });
    const result = await callSample(parts, {}, { signal: caller.signal });
    expect(result).toMatchObject({
      status: 'cancelled',
      error: { code: 'TOOL_CANCELLED' },
      execution: { attempt: 1 },
      warnings: [{ code: 'RETRIED', details: { codes: ['SAMPLE.BUSY'] } }],
    });
    expect(calls).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ['an error that stays', failure({ code: 'SAMPLE.BUSY', message: 'no' }), 'SAMPLE.BUSY'],
    [
      'arguments that do not fit',
      failure({ code: 'INVALID_ARGUMENT', message: 'no', retryable: true }),
      'INVALID_ARGUMENT',
    ],
    ['a result that is none', { status: 'finished' }, 'INVALID_TOOL_RESULT'],
    [
      'output that is illegal',
      new TransportError('INVALID_TOOL_RESULT', 'no frame', null, true),
      'INVALID_TOOL_RESULT',
    ],
    ['what is forbidden', new TransportError('FORBIDDEN', 'no', null, true), 'FORBIDDEN'],
    ['a fault of the module', new TransportError('INTERNAL_ERROR', 'threw'), 'INTERNAL_ERROR'],
    ['a bug of ours', new Error('bug'), 'INTERNAL_ERROR'],
  ])('is not repeated for %s', async (_, answer, code) => {
    const { parts, calls } = host([answer, success(1)]);
    expect(await callSample(parts)).toMatchObject({ error: { code }, execution: { attempt: 1 }, warnings: [] });
    expect(calls).toHaveLength(1);
  });

  it('keeps a part of a result instead of trying for the whole', async () => {
    const partial = {
      status: 'partial',
      data: [1],
      error: { code: 'SAMPLE.BUSY', message: 'a part', retryable: true },
    };
    const { parts } = host([partial, success([1, 2])]);
    expect(await callSample(parts)).toMatchObject({ status: 'partial', data: [1], execution: { attempt: 1 } });
  });

  it('is not repeated at its deadline', async () => {
    const { parts, calls } = host([
      ({ signal }: TransportCall) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ]);
    expect(await callSample(parts, {}, { options: { timeoutMs: 20 } })).toMatchObject({
      status: 'timeout',
      execution: { attempt: 1 },
    });
    expect(calls).toHaveLength(1);
  });

  it('is not repeated when the queue of its tool is full', async () => {
    let free: (() => void) | undefined;
    const { parts, calls } = host([() => new Promise((resolve) => (free = () => resolve(success(1))))], {
      manifests: [manifest({ communication: { protocol: 'direct', concurrency: 1 } }, { idempotent: true })],
      limits: { queuedCalls: 0 },
    });
    const first = callSample(parts);
    expect(await callSample(parts)).toMatchObject({ error: { code: 'VCP.OVERLOADED' }, execution: { attempt: 1 } });
    free?.();
    expect([(await first).status, calls.length]).toEqual(['success', 1]);
  });

  it('holds no place of its tool while it waits', async () => {
    let second: Promise<unknown> | undefined;
    const { parts } = host([busy, success('of another'), success('again')], {
      manifests: [manifest({ communication: { protocol: 'direct', concurrency: 1 } }, { idempotent: true })],
      pause: {
        random: () => 0.5,
        // The other call ends while this one waits, or never.
        sleep: async () => {
          second = callSample(parts).then(({ data }) => data);
          expect(await second).toBe('of another');
        },
      },
    });
    expect((await callSample(parts)).data).toBe('again');
    expect(second).toBeDefined();
  });

  it('has a directory and resources of its own in every attempt', async () => {
    const made: string[] = [];
    const released: string[] = [];
    const written: string[] = [];
    const attempt = async ({ resourceDirectory, resourceWriter }: TransportCall) => {
      await resourceDirectory();
      written.push(await resourceWriter.write(new TextEncoder().encode(`attempt ${written.length + 1}`)));
      // The second attempt refers to what the first one wrote.
      return written.length === 1
        ? busy
        : success({ f: { $resource: 'f' } }, { resources: [{ id: 'f', resourceId: written[0] }] });
    };
    const { parts } = host([attempt], {
      workspace: {
        directoryFor: async (_plugin, name) => {
          made.push(name);
          return `/calls/${name}`;
        },
        release: async (name) => void released.push(name),
      },
    });
    const { error, execution } = await callSample(parts);
    expect([error?.code, execution.attempt]).toEqual(['FILE_NOT_FOUND', 2]);
    expect(made).toEqual([execution.invocationId, `${execution.invocationId}-2`]);
    expect(released).toEqual(made);
  });

  it('reports the progress of all its attempts', async () => {
    const attempt =
      (answer: unknown, stage: string) =>
      ({ reportProgress }: TransportCall) => {
        reportProgress({ stage, progress: null, message: null });
        return answer;
      };
    const { parts } = host([attempt(busy, 'first'), attempt(success(1), 'second')]);
    await callSample(parts);
    expect(parts.events.map(({ stage }) => stage)).toEqual(['first', 'second']);
  });
});

describe('a call of a command that is not idempotent', () => {
  it.each<[string, unknown]>([
    ['the transport fails', new TransportError('TRANSPORT_FAILURE', 'died', null, true)],
    ['the plugin says that its error passes', busy],
  ])('is made once, also when %s', async (_, answer) => {
    const { parts, calls, waits } = host([answer, success(1)], { isIdempotent: false });
    expect(await callSample(parts)).toMatchObject({ status: 'error', execution: { attempt: 1 }, warnings: [] });
    expect([calls.length, waits]).toEqual([1, []]);
  });
});
