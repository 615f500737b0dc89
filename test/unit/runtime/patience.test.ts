import { describe, expect, it } from 'vitest';
import type { TransportAdapter } from '../../../src/ports/transport.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Stops when its signal does, as a transport must. */
const hanging: TransportAdapter = {
  execute: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
};

describe('time and patience', () => {
  const slow = manifest({ communication: { protocol: 'direct', timeoutMs: 30 } });

  it('end at the manifest’s limit', async () => {
    const result = await callSample(createMemoryRuntime({ manifests: [slow], transport: hanging }));
    expect([result.status, result.error?.code, result.error?.retryable, result.execution.timeoutMs]).toEqual([
      'timeout',
      'TOOL_TIMEOUT',
      true,
      30,
    ]);
  });

  it('can be shortened by a caller, not lengthened', async () => {
    const parts = createMemoryRuntime({ manifests: [slow], transport: hanging });
    const results = await Promise.all(
      [10, 60_000].map((timeoutMs) => callSample(parts, {}, { options: { timeoutMs } })),
    );
    expect(results.map((result) => result.execution.timeoutMs)).toEqual([10, 30]);
    expect(results.map((result) => result.status)).toEqual(['timeout', 'timeout']);
  });

  it('end when the caller cancels', async () => {
    const caller = new AbortController();
    const pending = callSample(createMemoryRuntime({ transport: hanging }), {}, { signal: caller.signal });
    await turn();
    caller.abort();
    expect(await pending).toMatchObject({
      status: 'cancelled',
      error: { code: 'TOOL_CANCELLED', category: 'cancelled' },
    });
  });

  it('are over at once for a caller who has gone', async () => {
    const result = await callSample(createMemoryRuntime({ transport: hanging }), {}, { signal: AbortSignal.abort() });
    expect(result.status).toBe('cancelled');
  });
});

describe('a crowd', () => {
  it('is served in turn, and turned away when the queue is full', async () => {
    let running = 0;
    let most = 0;
    const parts = createMemoryRuntime({
      manifests: [manifest({ communication: { protocol: 'direct', concurrency: 2 } })],
      limits: { queuedCalls: 3 },
      answer: async () => {
        running += 1;
        most = Math.max(most, running);
        await turn();
        running -= 1;
        return success(null);
      },
    });
    const results = await Promise.all(Array.from({ length: 7 }, () => callSample(parts)));
    expect(results.map((result) => result.error?.code ?? 'ok').toSorted()).toEqual([
      'VCP.OVERLOADED',
      'VCP.OVERLOADED',
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
    ]);
    expect(results.filter((result) => result.status === 'error').every((result) => result.error?.retryable)).toBe(true);
    expect(most).toBe(2);
  });

  it('has a place again after a failure', async () => {
    let calls = 0;
    const parts = createMemoryRuntime({
      manifests: [manifest({ communication: { protocol: 'direct', concurrency: 1 } })],
      answer: () => {
        calls += 1;
        if (calls === 1) throw new Error('first');
        return success(calls);
      },
    });
    expect([(await callSample(parts)).status, (await callSample(parts)).status]).toEqual(['error', 'success']);
  });

  it('waits no longer than its deadline', async () => {
    const parts = createMemoryRuntime({
      manifests: [manifest({ communication: { protocol: 'direct', concurrency: 1, timeoutMs: 40 } })],
      transport: hanging,
    });
    const results = await Promise.all([callSample(parts), callSample(parts)]);
    expect(results.map((result) => result.error?.code)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
  });
});
