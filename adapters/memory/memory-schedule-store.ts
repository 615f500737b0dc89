import { idCursor, readIdCursor } from '../../src/lib/id-cursor.ts';
import type { HeldRun, ScheduleStore, StoredSchedule, StoredScheduleRun } from '../../src/ports/schedule-store.ts';

/** Schedules of one process. */
export const createMemoryScheduleStore = (): ScheduleStore => {
  const schedules = new Map<string, StoredSchedule>();
  const runs = new Map<string, StoredScheduleRun>();

  const active = () => [...schedules.values()].filter(({ state }) => state === 'active');
  const isDue = (schedule: StoredSchedule, now: number) => schedule.nextAt !== null && schedule.nextAt <= now;
  const byDueTime = (a: StoredSchedule, b: StoredSchedule) => Number(a.nextAt) - Number(b.nextAt);
  const newestFirst = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? 1 : -1);
  const runsOf = (scheduleId: string) => [...runs.values()].filter((run) => run.scheduleId === scheduleId);

  const held = ({ id, attempt }: HeldRun): StoredScheduleRun | null => {
    const run = runs.get(id);
    return run?.attempt === attempt ? run : null;
  };
  const heldRunning = (run: HeldRun): StoredScheduleRun | null => {
    const found = held(run);
    return found?.state === 'running' ? found : null;
  };
  const isLost = (run: StoredScheduleRun, now: number) => run.leaseUntil !== null && run.leaseUntil <= now;

  return {
    create: async (schedule, most) => {
      if (active().filter(({ owner }) => owner === schedule.owner).length >= most) return false;
      schedules.set(schedule.id, schedule);
      return true;
    },
    get: async (id) => schedules.get(id) ?? null,
    list: async (query) => {
      const before = query.cursor === undefined ? null : readIdCursor('schedule', query.cursor);
      const found = [...schedules.values()]
        .filter(({ owner }) => query.owner === null || owner === query.owner)
        .filter(({ state }) => query.state === undefined || state === query.state)
        .filter(({ toolName }) => query.toolName === undefined || toolName === query.toolName)
        .filter(({ id }) => before === null || id < before)
        .toSorted(newestFirst);
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        schedules: page,
        nextCursor: found.length > query.limit && last !== undefined ? idCursor(last.id) : null,
      };
    },
    cancel: async (id, at) => {
      const schedule = schedules.get(id);
      if (schedule?.state !== 'active') return false;
      schedules.set(id, { ...schedule, state: 'cancelled', nextAt: null, updatedAt: at });
      return true;
    },
    nextDue: async () => active().toSorted(byDueTime)[0]?.nextAt ?? null,
    due: async (now, most) =>
      active()
        .filter((schedule) => isDue(schedule, now))
        .toSorted(byDueTime)
        .slice(0, most),
    advance: async ({ scheduleId, from, nextAt, runs: added, at }) => {
      const schedule = schedules.get(scheduleId);
      if (schedule?.state !== 'active' || schedule.nextAt !== from) return false;
      const taken = new Set(runsOf(scheduleId).map(({ dueAt }) => dueAt));
      if (added.some(({ dueAt }) => taken.has(dueAt))) return false;
      for (const run of added) runs.set(run.id, run);
      schedules.set(scheduleId, {
        ...schedule,
        nextAt,
        state: nextAt === null ? 'ended' : 'active',
        runCount: schedule.runCount + added.filter(({ state }) => state === 'running').length,
        updatedAt: at,
      });
      return true;
    },
    listRuns: async ({ scheduleId, state, limit, cursor }) => {
      const before = cursor === undefined ? null : readIdCursor('scheduleRun', cursor);
      const found = runsOf(scheduleId)
        .filter((run) => state === undefined || run.state === state)
        .filter(({ id }) => before === null || id < before)
        .toSorted(newestFirst);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return { runs: page, nextCursor: found.length > limit && last !== undefined ? idCursor(last.id) : null };
    },
    extend: async (run, leaseUntil) => {
      const found = heldRunning(run);
      if (found === null) return false;
      runs.set(run.id, { ...found, leaseUntil });
      return true;
    },
    finish: async (run, end) => {
      const found = held(run);
      if (found === null || (found.state !== 'running' && found.state !== 'interrupted')) return false;
      runs.set(run.id, { ...found, ...end, state: 'finished', leaseUntil: null });
      return true;
    },
    lost: async (now, most) =>
      [...runs.values()]
        .filter((run) => run.state === 'running' && isLost(run, now))
        .toSorted((a, b) => Number(a.leaseUntil) - Number(b.leaseUntil))
        .slice(0, most),
    takeOver: async (run, { serverId, leaseUntil, at }) => {
      const found = heldRunning(run);
      if (found === null || !isLost(found, at)) return false;
      runs.set(run.id, { ...found, attempt: found.attempt + 1, serverId, leaseUntil, startedAt: at });
      return true;
    },
    interrupt: async (run, { reason, at }) => {
      const found = heldRunning(run);
      if (found === null || !isLost(found, at)) return false;
      runs.set(run.id, { ...found, state: 'interrupted', leaseUntil: null, reason, finishedAt: at });
      return true;
    },
    trimRuns: async (scheduleId, kept) => {
      const old = runsOf(scheduleId).toSorted(newestFirst).slice(kept);
      for (const { id, state } of old) if (state !== 'running') runs.delete(id);
    },
    removeEnded: async (before, most) => {
      const gone = [...schedules.values()]
        .filter(({ state, updatedAt }) => state !== 'active' && updatedAt < before)
        .toSorted((a, b) => a.updatedAt - b.updatedAt)
        .slice(0, most);
      for (const { id } of gone) {
        for (const run of runsOf(id)) runs.delete(run.id);
        schedules.delete(id);
      }
      return gone.length;
    },
  };
};
