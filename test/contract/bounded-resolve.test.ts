import { expect, it, vi } from 'vitest';
import { boundedResolve } from '../../adapters/node/guarded-fetch/bounded-resolve.ts';
import { resolveBySystem } from '../../adapters/node/guarded-fetch/checked-lookup.ts';
import { createGuardedFetch } from '../../adapters/node/guarded-fetch.ts';

// Only the system's resolver is played: how long a name takes must be ours to say.
const lookup = vi.hoisted(() => vi.fn<(name: string) => Promise<{ address: string; family: number }[]>>());
vi.mock('node:dns/promises', () => ({ lookup }));

/** A name server that answers when it is told to. */
const slowNames = () => {
  const asked = new Map<string, PromiseWithResolvers<{ address: string; family: number }[]>>();
  return {
    resolve: (name: string) => {
      const answer = Promise.withResolvers<{ address: string; family: number }[]>();
      asked.set(name, answer);
      return answer.promise;
    },
    names: () => [...asked.keys()],
    answer: (name: string) => asked.get(name)?.resolve([{ address: '192.0.2.1', family: 4 }]),
    fail: (name: string) => asked.get(name)?.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
  };
};
const turn = () => new Promise((done) => setTimeout(done, 0));

it('looks up so many names at once, and the others in their turn', async () => {
  const server = slowNames();
  const resolve = boundedResolve(server.resolve, { atOnce: 2, queue: 10, waitMs: 60_000 });
  const answers = ['a', 'b', 'c', 'd'].map((name) => resolve(name).catch((error: Error) => error.message));
  await turn();
  expect(server.names()).toEqual(['a', 'b']);
  server.answer('b');
  await turn();
  expect(server.names()).toEqual(['a', 'b', 'c']);
  server.fail('c');
  await turn();
  expect(server.names()).toEqual(['a', 'b', 'c', 'd']);
  server.answer('a');
  server.answer('d');
  const found = [{ address: '192.0.2.1', family: 4 }];
  expect(await Promise.all(answers)).toEqual([found, found, 'none', found]);
});

it('lets a name wait only so long, and only so many', async () => {
  const server = slowNames();
  const resolve = boundedResolve(server.resolve, { atOnce: 1, queue: 1, waitMs: 30 });
  void resolve('silent');
  const waits = resolve('waits');
  await expect(resolve('too many')).rejects.toMatchObject({
    code: 'ETIMEDOUT',
    message: expect.stringContaining('1 calls') as string,
  });
  await expect(waits).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(server.names()).toEqual(['silent']);
  // The look-up that nobody waits for any more holds its place until it is over.
  server.answer('silent');
  await turn();
  void resolve('next');
  await turn();
  expect(server.names()).toEqual(['silent', 'next']);
});

it('is a timeout to a fetch, which may be tried again', async () => {
  const server = slowNames();
  const resolve = boundedResolve(server.resolve, { atOnce: 1, queue: 1, waitMs: 30 });
  void resolve('silent');
  const guarded = createGuardedFetch({ resolve });
  const answer = await guarded.fetch({ url: 'http://next.example/', maxBytes: 10, timeoutMs: 20_000 });
  expect(answer).toMatchObject({ ok: false, code: 'TIMEOUT', retryable: true });
  await guarded.close();
});

it('leaves threads of the process to others when the system resolves', async () => {
  const server = slowNames();
  lookup.mockImplementation((name) => server.resolve(name));
  const answers = Promise.all(Array.from({ length: 20 }, (_, index) => resolveBySystem(`name${index}`)));
  for (let done = 0; done < 20; done += 1) {
    await turn();
    expect(server.names()).toHaveLength(Math.min(20, done + 2));
    server.answer(`name${done}`);
  }
  expect(await answers).toHaveLength(20);
});
