import { describe, expect, it } from 'vitest';
import { readAll } from '../../../src/lib/bytes.ts';
import { failWhenSilent } from '../../../src/lib/fail-when-silent.ts';

const silence = () => new Error('nothing came');

describe('a stream that fails when it is silent', () => {
  it('gives the same bytes as long as some come', async () => {
    const pieces = [[1, 2], [3], [4, 5]].map((piece) => new Uint8Array(piece));
    const source = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((done) => setTimeout(done, 30));
        const next = pieces.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    });
    expect([...(await readAll(failWhenSilent(source, 1_000, silence)))]).toEqual([1, 2, 3, 4, 5]);
  });

  it('fails, and lets go of what it was read from', async () => {
    let reason: unknown = null;
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
      cancel: (given) => {
        reason = given;
      },
    });
    await expect(readAll(failWhenSilent(source, 20, silence))).rejects.toThrow();
    expect(reason).toMatchObject({ message: 'nothing came' });
  });

  it('passes on what its reader has enough of', async () => {
    let isCancelled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array([1])),
      cancel: () => {
        isCancelled = true;
      },
    });
    await failWhenSilent(source, 1_000, silence).cancel();
    expect(isCancelled).toBe(true);
  });
});
