import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { createDirectTransport } from '../../../src/transport/direct/direct-transport.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool that allows one call at a time, and a module that takes no notice of its signal. */
const deaf = () => {
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const parts = createMemoryRuntime({
    manifests: [manifest({ communication: { protocol: 'direct', concurrency: 1, timeoutMs: 60 } })],
    transport: createDirectTransport(
      {
        load: async () => ({
          processToolCall: async () => {
            running += 1;
            most = Math.max(most, running);
            await new Promise<void>((resolve) => ends.push(resolve));
            running -= 1;
            return success('late');
          },
        }),
      },
      DEFAULT_LIMITS,
    ),
  });
  return { parts, ends, most: () => most, started: () => ends.length };
};

describe('a module that goes on after its deadline', () => {
  it('keeps its place until it ends: no other call of the tool starts', async () => {
    const { parts, ends, most, started } = deaf();
    expect((await callSample(parts)).status).toBe('timeout');
    // Its own patience is over while it waits.
    expect((await callSample(parts)).status).toBe('timeout');
    expect(started()).toBe(1);
    ends[0]?.();
    await pause(0);
    const next = callSample(parts);
    await pause(10);
    expect(started()).toBe(2);
    ends[1]?.();
    expect(await next).toMatchObject({ status: 'success', data: 'late' });
    expect(most()).toBe(1);
  });

  it('is not waited for by its caller, nor by a server that ends', async () => {
    const { parts, ends } = deaf();
    const began = performance.now();
    expect((await callSample(parts)).status).toBe('timeout');
    await parts.runtime.idle();
    expect(performance.now() - began).toBeLessThan(2_000);
    ends[0]?.();
  });
});

describe('a runtime that is asked to end', () => {
  it('is idle when every call has its result and the result is stored', async () => {
    const { parts, ends } = deaf();
    let answered = false;
    const call = callSample(parts).finally(() => (answered = true));
    await pause(10);
    parts.runtime.cancelRunning();
    await parts.runtime.idle();
    expect(answered).toBe(true);
    const { records } = await parts.calls.listRecords({ owner: null, limit: 10 });
    expect(records.map(({ status, resultId }) => [status, resultId])).toEqual([['cancelled', (await call).id]]);
    ends[0]?.();
  });
});
