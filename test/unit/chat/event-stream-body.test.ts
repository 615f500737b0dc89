import { describe, expect, it } from 'vitest';
import { eventStreamBody } from '../../../src/server/chat/event-stream-body.ts';

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const bodyOver = (source: () => AsyncGenerator<string>, times: { keepAliveMs?: number; stallMs?: number } = {}) => {
  const gone: string[] = [];
  const body = eventStreamBody(source(), {
    keepAliveMs: times.keepAliveMs ?? 60_000,
    stallMs: times.stallMs ?? 60_000,
    onGone: (reason) => void gone.push(reason),
  });
  return { body, gone, read: async () => await new Response(body).text() };
};

describe('the body of an event stream', () => {
  it('reads its source no faster than it is read', async () => {
    let made = 0;
    const { body } = bodyOver(async function* () {
      for (; ; made += 1) yield `${made}`.padEnd(10);
    });
    const reader = body.getReader();
    for (let count = 0; count < 3; count += 1) await reader.read();
    await later(20);
    // A source that is always ready is read by pieces of a bounded size.
    expect(made).toBeLessThan(60_000 / 2);
    const before = made;
    await later(20);
    expect(made).toBe(before);
    await reader.cancel();
  });

  it('writes in one piece what has come at one time, and nothing later than that', async () => {
    const { body } = bodyOver(async function* () {
      for (const text of ['a', 'b', 'c']) yield text;
      await later(20);
      yield 'd';
    });
    const pieces: string[] = [];
    for await (const bytes of body) pieces.push(new TextDecoder().decode(bytes));
    expect(pieces).toEqual(['abc', 'd']);
  });

  it('shows that it lives while nothing comes, and loses nothing by it', async () => {
    const { read } = bodyOver(
      async function* () {
        yield 'a';
        await later(150);
        yield 'b';
      },
      { keepAliveMs: 20 },
    );
    expect(await read()).toMatch(/^a(: keep-alive\n\n)+b$/);
  });

  it('ends its source when its reader leaves', async () => {
    let isEnded = false;
    const { body, gone } = bodyOver(async function* () {
      try {
        for (;;) yield 'x';
      } finally {
        isEnded = true;
      }
    });
    const reader = body.getReader();
    await reader.read();
    await reader.cancel();
    await later(1);
    expect([isEnded, gone]).toEqual([true, ['left']]);
  });

  it('lets go of a reader that takes nothing any more', async () => {
    let isEnded = false;
    const { body, gone } = bodyOver(
      async function* () {
        try {
          for (;;) yield 'x';
        } finally {
          isEnded = true;
        }
      },
      { stallMs: 20 },
    );
    const reader = body.getReader();
    await reader.read();
    await later(60);
    await expect(reader.read()).rejects.toThrow('took nothing for 20 ms');
    expect([isEnded, gone]).toEqual([true, ['stalled']]);
  });

  it('waits for a slow source as long as it likes', async () => {
    const { read, gone } = bodyOver(
      async function* () {
        yield 'a';
        await later(60);
        yield 'b';
      },
      { stallMs: 20 },
    );
    expect([await read(), gone]).toEqual(['ab', []]);
  });
});
