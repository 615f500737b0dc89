import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScheduleStore, StoredSchedule, StoredScheduleRun } from '../../../src/ports/schedule-store.ts';
import { sampleIds } from '../../support/sample-calls.ts';

export type OpenScheduleStore = { readonly schedules: ScheduleStore; close(): Promise<void> };

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const MINUTE = 60_000;

/** What every schedule store does. `open` gives an empty one. */
export const describeScheduleStore = (name: string, open: () => Promise<OpenScheduleStore>): void => {
  describe(`schedule store: ${name}`, () => {
    let opened: OpenScheduleStore;
    let store: ScheduleStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.schedules;
    });
    afterAll(() => opened.close());

    let owners = 0;
    const newSchedule = (changes: Partial<StoredSchedule> = {}): StoredSchedule => ({
      id: sampleIds.next('schedule'),
      owner: `owner ${(owners += 1)}`,
      toolName: 'Sample',
      label: 'Naïve 日程',
      arguments: { text: '</a>', deep: [{ n: 1.5 }, null] },
      actor: { type: 'agent', id: null, name: 'Nova', maid: 'Nova' },
      source: 'ai-loop',
      at: null,
      cron: '*/5 * * * *',
      timeZone: 'Europe/Berlin',
      startAt: NOW - MINUTE,
      endAt: null,
      maxRuns: 7,
      timeoutMs: 1_000,
      missed: 'skip',
      overlap: 'skip',
      state: 'active',
      nextAt: NOW,
      runCount: 0,
      createdAt: NOW - 10 * MINUTE,
      updatedAt: NOW - 10 * MINUTE,
      ...changes,
    });
    const newRun = (schedule: StoredSchedule, changes: Partial<StoredScheduleRun> = {}): StoredScheduleRun => ({
      id: sampleIds.next('scheduleRun'),
      scheduleId: schedule.id,
      dueAt: NOW,
      times: 1,
      state: 'running',
      attempt: 1,
      isRepeatable: true,
      leaseUntil: NOW + 15_000,
      serverId: 'one',
      resultId: null,
      status: null,
      errorCode: null,
      reason: null,
      startedAt: NOW + 3,
      finishedAt: null,
      ...changes,
    });
    const kept = async (changes: Partial<StoredSchedule> = {}) => {
      const schedule = newSchedule(changes);
      expect(await store.create(schedule, 100)).toBe(true);
      return schedule;
    };
    /** A schedule that is not due, so that looks at what is due do not meet it. */
    const begun = async (changes: Partial<StoredScheduleRun> = {}, more: Partial<StoredSchedule> = {}) => {
      const schedule = await kept(more);
      const run = newRun(schedule, changes);
      const nextAt = NOW + 365 * 24 * 60 * MINUTE;
      expect(await store.advance({ scheduleId: schedule.id, from: NOW, nextAt, runs: [run], at: NOW + 3 })).toBe(true);
      return { schedule, run };
    };
    const runsOf = async (schedule: StoredSchedule) =>
      (await store.listRuns({ scheduleId: schedule.id, limit: 100 })).runs;

    it('gives a schedule back as it was made, and null for one that is not there', async () => {
      const schedule = await kept();
      expect(await store.get(schedule.id)).toEqual(schedule);
      expect(await store.get(sampleIds.next('schedule'))).toBeNull();
    });

    it('keeps no more active schedules of an owner than are allowed, also when they come at once', async () => {
      const owner = 'somebody with many';
      const results = await Promise.all(Array.from({ length: 5 }, () => store.create(newSchedule({ owner }), 3)));
      expect(results.filter(Boolean)).toHaveLength(3);
      const { schedules } = await store.list({ owner, limit: 10 });
      expect(schedules).toHaveLength(3);
      expect(await store.cancel(schedules[0]!.id, NOW)).toBe(true);
      expect(await store.create(newSchedule({ owner }), 3)).toBe(true);
      expect(await store.create(newSchedule({ owner }), 3)).toBe(false);
    });

    it('lists by owner, state and tool, newest first, page by page', async () => {
      const owner = 'lister';
      const made = [await kept({ owner }), await kept({ owner, toolName: 'Other' }), await kept({ owner })];
      await store.cancel(made[0]!.id, NOW);
      const first = await store.list({ owner, limit: 2 });
      expect(first.schedules.map(({ id }) => id)).toEqual([made[2]!.id, made[1]!.id]);
      const second = await store.list({ owner, limit: 2, cursor: first.nextCursor! });
      expect(second.schedules.map(({ id }) => id)).toEqual([made[0]!.id]);
      expect(second.nextCursor).toBeNull();
      expect((await store.list({ owner, state: 'cancelled', limit: 9 })).schedules).toHaveLength(1);
      expect((await store.list({ owner, toolName: 'Other', limit: 9 })).schedules).toHaveLength(1);
      expect((await store.list({ owner: null, limit: 1_000 })).schedules.length).toBeGreaterThan(3);
      await expect(store.list({ owner, limit: 1, cursor: 'after:tcr_x' })).rejects.toThrow('cursor');
    });

    it('tells what is due, the earliest first, and nothing that has ended', async () => {
      const at = Date.parse('2020-01-01T00:00:00.000Z');
      const late = await kept({ nextAt: at + 2 });
      const early = await kept({ nextAt: at + 1 });
      const ended = await kept({ nextAt: at });
      expect(await store.nextDue()).toBe(at);
      await store.cancel(ended.id, NOW);
      expect(await store.nextDue()).toBe(at + 1);
      expect((await store.due(at + 2, 10)).map(({ id }) => id)).toEqual([early.id, late.id]);
      expect(await store.due(at + 2, 1)).toHaveLength(1);
      expect(await store.due(at, 10)).toEqual([]);
      await store.cancel(early.id, NOW);
      await store.cancel(late.id, NOW);
    });

    it('gives a due time to one of many that take it in the same moment', async () => {
      const schedule = await kept();
      const take = (serverId: string) =>
        store.advance({
          scheduleId: schedule.id,
          from: NOW,
          nextAt: NOW + 5 * MINUTE,
          runs: [newRun(schedule, { serverId })],
          at: NOW + 3,
        });
      const taken = await Promise.all(['a', 'b', 'c', 'd'].map(take));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await runsOf(schedule)).toHaveLength(1);
      expect(await store.get(schedule.id)).toEqual({
        ...schedule,
        nextAt: NOW + 5 * MINUTE,
        runCount: 1,
        updatedAt: NOW + 3,
      });
    });

    it('puts down what was missed beside what runs, and counts only what runs', async () => {
      const schedule = await kept();
      const missed = newRun(schedule, {
        dueAt: NOW - 20 * MINUTE,
        times: 4,
        state: 'missed',
        attempt: 0,
        leaseUntil: null,
        serverId: null,
        startedAt: null,
        reason: 'no server ran',
      });
      const run = newRun(schedule);
      const change = { scheduleId: schedule.id, from: NOW, nextAt: null, runs: [missed, run], at: NOW };
      expect(await store.advance(change)).toBe(true);
      expect(await runsOf(schedule)).toEqual([run, missed]);
      expect(await store.get(schedule.id)).toMatchObject({ state: 'ended', nextAt: null, runCount: 1 });
    });

    it('moves no cancelled schedule on, and cancels none twice', async () => {
      const schedule = await kept();
      expect(await store.cancel(schedule.id, NOW + 1)).toBe(true);
      expect(await store.cancel(schedule.id, NOW + 2)).toBe(false);
      const change = { scheduleId: schedule.id, from: NOW, nextAt: null, runs: [newRun(schedule)], at: NOW };
      expect(await store.advance(change)).toBe(false);
      expect(await runsOf(schedule)).toEqual([]);
      expect(await store.get(schedule.id)).toMatchObject({ state: 'cancelled', nextAt: null, updatedAt: NOW + 1 });
    });

    it('keeps how a run ended', async () => {
      const { schedule, run } = await begun();
      const end = {
        resultId: sampleIds.next('result'),
        status: 'error' as const,
        errorCode: 'FORBIDDEN',
        reason: null,
        finishedAt: NOW + 9,
      };
      expect(await store.finish(run, end)).toBe(true);
      expect(await store.finish(run, end)).toBe(false);
      expect(await runsOf(schedule)).toEqual([{ ...run, ...end, state: 'finished', leaseUntil: null }]);
      expect(await store.extend(run, NOW)).toBe(false);
    });

    it('lists runs by state, newest first, page by page', async () => {
      const schedule = await kept();
      const states = ['missed', 'skipped', 'running'] as const;
      const runs = states.map((state, index) =>
        newRun(schedule, { state, dueAt: NOW + index, leaseUntil: state === 'running' ? NOW : null }),
      );
      await store.advance({ scheduleId: schedule.id, from: NOW, nextAt: null, runs, at: NOW });
      const first = await store.listRuns({ scheduleId: schedule.id, limit: 2 });
      expect(first.runs.map(({ state }) => state)).toEqual(['running', 'skipped']);
      const rest = await store.listRuns({ scheduleId: schedule.id, limit: 2, cursor: first.nextCursor! });
      expect([rest.runs.map(({ state }) => state), rest.nextCursor]).toEqual([['missed'], null]);
      const only = await store.listRuns({ scheduleId: schedule.id, state: 'running', limit: 2 });
      expect(only.runs).toHaveLength(1);
    });

    it('takes a run for lost when its lease has run out, and gives it to one that repeats it', async () => {
      const { schedule, run } = await begun({ leaseUntil: NOW + 10 });
      const isLost = async (now: number) => (await store.lost(now, 100)).some(({ id }) => id === run.id);
      expect([await isLost(NOW + 9), await isLost(NOW + 10)]).toEqual([false, true]);
      expect(await store.extend(run, NOW + 20)).toBe(true);
      expect(await isLost(NOW + 19)).toBe(false);
      const next = { serverId: 'two', leaseUntil: NOW + 50, at: NOW + 20 };
      expect(await store.takeOver(run, { ...next, at: NOW + 19 })).toBe(false);
      const taken = await Promise.all([store.takeOver(run, next), store.takeOver(run, next)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await runsOf(schedule)).toEqual([
        { ...run, attempt: 2, serverId: 'two', leaseUntil: NOW + 50, startedAt: NOW + 20 },
      ]);
      const end = { resultId: null, status: null, errorCode: null, reason: null, finishedAt: NOW };
      expect(await store.extend(run, NOW + 99)).toBe(false);
      expect(await store.finish(run, end)).toBe(false);
      expect(await store.finish({ ...run, attempt: 2 }, end)).toBe(true);
    });

    it('gives a lost run up, and still takes its end when that comes late', async () => {
      const { schedule, run } = await begun({ leaseUntil: NOW + 10 });
      const given = { reason: 'cut off', at: NOW + 10 };
      expect(await store.interrupt(run, { ...given, at: NOW + 9 })).toBe(false);
      expect(await store.interrupt(run, given)).toBe(true);
      expect(await store.interrupt(run, given)).toBe(false);
      expect(await runsOf(schedule)).toEqual([
        { ...run, state: 'interrupted', leaseUntil: null, reason: 'cut off', finishedAt: NOW + 10 },
      ]);
      const end = { resultId: null, status: 'success' as const, errorCode: null, reason: null, finishedAt: NOW + 30 };
      expect(await store.finish(run, end)).toBe(true);
      expect(await runsOf(schedule)).toMatchObject([{ state: 'finished', reason: null, finishedAt: NOW + 30 }]);
    });

    it('forgets the oldest runs, but none that goes on', async () => {
      const schedule = await kept();
      const runs = Array.from({ length: 5 }, (_, index) =>
        newRun(schedule, {
          dueAt: NOW + index,
          state: index === 0 ? 'running' : 'skipped',
          leaseUntil: index === 0 ? NOW + MINUTE : null,
        }),
      );
      await store.advance({ scheduleId: schedule.id, from: NOW, nextAt: null, runs, at: NOW });
      await store.trimRuns(schedule.id, 10);
      expect(await runsOf(schedule)).toHaveLength(5);
      await store.trimRuns(schedule.id, 2);
      expect((await runsOf(schedule)).map(({ dueAt }) => dueAt - NOW)).toEqual([4, 3, 0]);
    });

    it('forgets what ended long ago, with its runs, and nothing else', async () => {
      const long = NOW - 1_000 * MINUTE;
      const old = await kept({ createdAt: long, updatedAt: long });
      const change = { scheduleId: old.id, from: NOW, nextAt: null, runs: [newRun(old)], at: long };
      await store.advance(change);
      const active = await kept({ createdAt: long, updatedAt: long, nextAt: NOW + 999 * MINUTE });
      expect(await store.removeEnded(long, 10)).toBe(0);
      expect(await store.removeEnded(long + 1, 10)).toBe(1);
      expect([await store.get(old.id), await runsOf(old)]).toEqual([null, []]);
      expect(await store.get(active.id)).not.toBeNull();
    });
  });
};
