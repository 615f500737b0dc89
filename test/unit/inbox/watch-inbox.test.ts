import { describe, expect, it } from 'vitest';
import { watchInbox } from '../../../src/inbox/watch-inbox.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import { createFakeTime } from '../../support/fake-time.ts';

const LIMITS = { inboxLookMs: 5_000, inboxLongestWaitMs: 60_000, inboxHoldMs: 600_000, inboxRequestMs: 30_000 };

const open = (look: () => Promise<boolean>) => {
  const time = createFakeTime(0);
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  let looks = 0;
  const puller = {
    look: () => {
      looks += 1;
      return look();
    },
  };
  const watch = watchInbox({ puller, ...time, logger, limits: LIMITS });
  return { time, watch, logged, looks: () => looks };
};

describe('an inbox that is watched', () => {
  it('is looked into at once and regularly, until that is stopped', async () => {
    const { time, watch, looks } = open(async () => true);
    watch.start();
    await time.pass(0);
    expect(looks()).toBe(1);
    await time.pass(15_000);
    expect(looks()).toBe(4);
    await watch.stop();
    await time.pass(60_000);
    expect(looks()).toBe(4);
  });

  it('is looked into once at a time', async () => {
    const waiting = Promise.withResolvers<boolean>();
    const { time, watch, looks } = open(() => waiting.promise);
    watch.start();
    await time.pass(60_000);
    expect(looks()).toBe(1);
    waiting.resolve(true);
    await time.pass(5_000);
    expect(looks()).toBe(2);
  });

  it('is asked for less and less often while its receiver is away, and that is told once', async () => {
    let isAway = true;
    const { time, watch, looks, logged } = open(async () => {
      if (isAway) throw new Error('nobody answers');
      return true;
    });
    watch.start();
    await time.pass(0);
    const waits: number[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      const [wait] = time.waits();
      waits.push(wait!);
      await time.pass(wait!);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(looks()).toBe(7);
    expect(logged).toEqual(['inbox.not-read']);
    isAway = false;
    await time.pass(60_000);
    expect(logged).toEqual(['inbox.not-read', 'inbox.read-again']);
    expect(time.waits()).toEqual([5_000]);
  });
});

describe('tasks whose time is over', () => {
  it('may be ended after a look that began since then', async () => {
    const looks: PromiseWithResolvers<boolean>[] = [];
    const { time, watch } = open(() => {
      const look = Promise.withResolvers<boolean>();
      looks.push(look);
      return look.promise;
    });
    watch.start();
    await time.pass(1_000);
    let may: boolean | null = null;
    const asking = watch.mayEndTasks().then((answer) => (may = answer));
    looks[0]!.resolve(true);
    await time.pass(0);
    // The look that was under way may have missed what came in after its beginning.
    expect([looks.length, may]).toEqual([2, null]);
    looks[1]!.resolve(true);
    await asking;
    expect(may).toBe(true);
  });

  it('are held while something is left, or the receiver is away, but for no longer than that may be', async () => {
    for (const look of [async () => false, () => Promise.reject(new Error('away'))]) {
      const { time, watch } = open(look);
      watch.start();
      await time.pass(10_000);
      expect(await watch.mayEndTasks()).toBe(false);
      await time.pass(589_999);
      expect(await watch.mayEndTasks()).toBe(false);
      await time.pass(1);
      expect(await watch.mayEndTasks()).toBe(true);
    }
  });
});
