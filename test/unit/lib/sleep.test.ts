import { describe, expect, it } from 'vitest';
import { sleep } from '../../../src/lib/sleep.ts';

describe('a sleep', () => {
  it('ends after its time', async () => {
    const began = performance.now();
    await sleep(30, new AbortController().signal);
    expect(performance.now() - began).toBeGreaterThan(20);
  });

  it('is broken off with the reason of its signal', async () => {
    const controller = new AbortController();
    const asleep = sleep(600_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
  });

  it('does not begin when its signal has aborted', async () => {
    await expect(sleep(600_000, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });
});
