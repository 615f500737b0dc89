import type { SchedulerDependencies } from './scheduler-dependencies.ts';

/** Schedules that go at once. */
const AT_ONCE = 100;

/** Removes schedules that ended long ago, some at a time; true where more of them are left, perhaps. */
export const removeEndedSchedules = async ({
  schedules,
  clock,
  limits: { retainSchedulesMs },
}: Pick<SchedulerDependencies, 'schedules' | 'clock' | 'limits'>): Promise<boolean> =>
  retainSchedulesMs > 0 && (await schedules.removeEnded(clock.now() - retainSchedulesMs, AT_ONCE)) >= AT_ONCE;
