import { describe, expect, it } from 'vitest';
import type { ScheduleStore } from '../../../src/ports/schedule-store.ts';
import { success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';
import { createScheduledRuntime, NOON, type ScheduledRuntime } from '../../support/scheduling.ts';

const at = (ms: number) => new Date(NOON + ms).toISOString();
const statesOf = async (parts: ScheduledRuntime, schedule: { id: string }) =>
  (await parts.runsOf(schedule as never)).map(({ state }) => state);

/** An answer that a test gives when it wants to. */
const withheld = () => {
  const waiting: (() => void)[] = [];
  return {
    answer: () => new Promise((resolve) => waiting.push(() => resolve(success({ done: true })))),
    release: () => waiting.shift()?.(),
    count: () => waiting.length,
  };
};

/** A look, and whether it is over. */
const looking = (parts: ScheduledRuntime, scheduler = parts.scheduler) => {
  const look = { isOver: false, ended: scheduler.lookOnce() };
  void look.ended.finally(() => (look.isOver = true)).catch(() => undefined);
  return look;
};

describe('a single look', () => {
  it('runs what is due, is over when that has ended, and leaves no timer', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    const due = await parts.schedule({ at: at(1_000) });
    const later = await parts.schedule({ at: at(30_000) });
    await parts.time.pass(2_000);
    const look = looking(parts);
    await parts.time.pass(20_000);
    expect([look.isOver, tool.count(), await statesOf(parts, due)]).toEqual([false, 1, ['running']]);
    tool.release();
    await look.ended;
    expect(await statesOf(parts, due)).toEqual(['finished']);
    expect(await statesOf(parts, later)).toEqual([]);
    expect(parts.time.waits()).toEqual([]);
  });

  it('is over at once where nothing is due', async () => {
    const parts = createScheduledRuntime();
    await parts.schedule({ at: at(1_000) });
    await parts.scheduler.lookOnce();
    expect(parts.delivered).toEqual([]);
  });

  it('shares what is due with another at the same moment', async () => {
    const parts = createScheduledRuntime();
    const schedules = [];
    for (let n = 0; n < 10; n += 1) schedules.push(await parts.schedule({ at: at(1_000), arguments: { n } }));
    await parts.time.pass(1_000);
    await Promise.all([parts.scheduler, parts.another()].map((scheduler) => scheduler.lookOnce()));
    expect(parts.delivered).toHaveLength(10);
    for (const schedule of schedules) expect(await statesOf(parts, schedule)).toEqual(['finished']);
  });

  it('makes one run of the times since the look before', async () => {
    const parts = createScheduledRuntime({ limits: { scheduleLateMs: 180_000 } });
    const schedule = await parts.schedule({ cron: '*/10 * * * * *' });
    await parts.time.pass(60_000);
    await parts.scheduler.lookOnce();
    expect(await parts.runsOf(schedule)).toMatchObject([
      { state: 'finished', dueAt: at(60_000) },
      { state: 'missed', times: 5, dueAt: at(10_000) },
    ]);
  });

  it('gives places that become free to what waits, until it is time for the next look', async () => {
    const tool = withheld();
    const limits = { scheduledRuns: 1, scheduleLookMs: 60_000, scheduleLateMs: 180_000 };
    const parts = createScheduledRuntime({ answer: tool.answer, limits });
    for (let n = 0; n < 3; n += 1) await parts.schedule({ at: at(1_000), arguments: { n } });
    await parts.time.pass(1_000);
    const look = looking(parts);
    await parts.time.pass(5_000);
    tool.release();
    await parts.time.pass(70_000);
    expect([parts.delivered.length, tool.count()]).toEqual([2, 1]);
    tool.release();
    await look.ended;
    expect(parts.delivered).toHaveLength(2);
    const next = looking(parts);
    await parts.time.pass(0);
    tool.release();
    await next.ended;
    expect(parts.delivered).toHaveLength(3);
  });

  it('takes no run for lost that goes on in another of the same name', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer, limits: { scheduleLeaseMs: 120_000 } });
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(1_000);
    const first = looking(parts);
    for (let minute = 0; minute < 10; minute += 1) {
      await parts.time.pass(60_000);
      await parts.another({ serverId: 'one' }).lookOnce();
    }
    expect(await statesOf(parts, schedule)).toEqual(['running']);
    tool.release();
    await first.ended;
    expect(await parts.runsOf(schedule)).toMatchObject([{ state: 'finished', attempt: 1 }]);
  });

  it('takes over what was cut off, once its signs of life have stopped', async () => {
    const parts = createScheduledRuntime({ manifests: [manifest({}, { idempotent: true })] });
    const cutOff = parts.another({
      runtime: { execute: () => new Promise(() => undefined) },
      timers: { after: () => () => undefined },
      serverId: 'one',
    });
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(1_000);
    void cutOff.lookOnce();
    await parts.time.pass(10_000);
    await parts.scheduler.lookOnce();
    expect(await statesOf(parts, schedule)).toEqual(['running']);
    await parts.time.pass(10_000);
    await parts.scheduler.lookOnce();
    expect(await parts.runsOf(schedule)).toMatchObject([{ state: 'finished', attempt: 2 }]);
  });

  it('fails with the store, and not before what it has begun has ended', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    let looks = 0;
    const broken = new Proxy(parts.scheduleStore, {
      get: (store, name: keyof ScheduleStore) =>
        name === 'due' && (looks += 1) > 1 ? () => Promise.reject(new Error('the store is away')) : store[name],
    });
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(1_000);
    const look = looking(parts, parts.another({ schedules: broken }));
    await parts.time.pass(1_000);
    expect(look.isOver).toBe(false);
    tool.release();
    await expect(look.ended).rejects.toThrow('the store is away');
    expect(await statesOf(parts, schedule)).toEqual(['finished']);
  });
});
