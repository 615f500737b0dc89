import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CANCELLED, ECHO, expectUnharmed, SUCCESS, TIMEOUT, verdictOf } from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesWith, until } from '../../support/processes.ts';

const shell = (name: string, text: string, concurrency: number) => ({
  name,
  command: './run.sh',
  args: [text],
  concurrency,
});

let host: NodeRuntime;
beforeAll(async () => {
  host = await openNodeRuntime(
    [
      ECHO,
      { name: 'Serial', command: './serial.sh', concurrency: 1 },
      shell('Slow', 'sleep 600', 1),
      shell('Quick', 'sleep 0.2; echo "$FRAME"', 1),
      shell('Four', 'sleep 0.3; echo "$FRAME"', 4),
    ],
    { limits: { queuedCalls: 6 } },
  );
});
afterEach(() => expectUnharmed(host));
afterAll(() => host.close());

/** Calls, not processes: the shell of a call is two of them for a moment, whenever it starts a command. */
const running = (tool: string) => new Set(processesWith(`plugins/${tool}`).map(({ group }) => group)).size;

describe('calls of a tool that asks for one at a time', () => {
  it('run one after another', async () => {
    const results = await Promise.all(Array.from({ length: 7 }, () => host.call('Serial')));
    expect(results.map(verdictOf)).toEqual(Array.from({ length: 7 }, () => SUCCESS));
  });

  it('are turned away when too many wait, and the others come through', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => host.call('Serial')));
    const codes = results.map(({ error }) => error?.code ?? 'none');
    expect(codes.filter((code) => code === 'none')).toHaveLength(7);
    expect(codes.filter((code) => code === 'VCP.OVERLOADED')).toHaveLength(3);
    const refused = results.find(({ error }) => error !== null);
    expect(refused).toMatchObject({ status: 'error', error: { category: 'runtime', retryable: true } });
  });

  it('can be cancelled while they wait, and give their place to others', async () => {
    const first = new AbortController();
    const second = new AbortController();
    const running1 = host.call('Slow', {}, { signal: first.signal });
    await until('the first one runs', () => running('Slow') === 1);
    const waiting = host.call('Slow', {}, { signal: second.signal });
    second.abort();
    expect(verdictOf(await waiting)).toEqual(CANCELLED);
    expect(running('Slow')).toBe(1);
    first.abort();
    expect(verdictOf(await running1)).toEqual(CANCELLED);
  });

  it('spend their time while they wait', async () => {
    const controller = new AbortController();
    const first = host.call('Slow', {}, { signal: controller.signal });
    await until('the first one runs', () => running('Slow') === 1);
    const waited = await host.call('Slow', {}, { timeoutMs: 200 });
    expect(verdictOf(waited)).toEqual(TIMEOUT);
    controller.abort();
    await first;
  });

  it('get their turn after one that failed', async () => {
    const failing = host.call('Quick', {}, { timeoutMs: 50 });
    const next = host.call('Quick');
    expect(verdictOf(await failing)).toEqual(TIMEOUT);
    expect(verdictOf(await next)).toEqual(SUCCESS);
  });
});

it('runs as many at once as the manifest says, and no more', async () => {
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, running('Four'));
  }, 20);
  const results = await Promise.all(Array.from({ length: 10 }, () => host.call('Four')));
  clearInterval(watch);
  expect(results.map(verdictOf)).toEqual(Array.from({ length: 10 }, () => SUCCESS));
  expect(most).toBe(4);
});
