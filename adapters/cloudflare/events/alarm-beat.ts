import type { Clock } from '../../../src/ports/clock.ts';
import type { ObjectState } from './object-state.ts';

/** What is done again and again while there are connections, by an object that sleeps in between. */
export type AlarmBeat = {
  every(ms: number, action: () => void | Promise<void>): () => void;
  /** The alarm has rung. */
  ring(): Promise<void>;
};

/**
 * One alarm wakes the object for all of it, at the pace of the slowest: an object that is woken every two seconds would
 * never sleep. A timer would keep it awake.
 */
export const createAlarmBeat = (storage: ObjectState['storage'], clock: Pick<Clock, 'now'>): AlarmBeat => {
  const actions = new Map<symbol, { readonly ms: number; readonly action: () => void | Promise<void> }>();

  const arm = async (): Promise<void> => {
    if (actions.size === 0) return await storage.deleteAlarm();
    const slowest = Math.max(...Array.from(actions.values(), ({ ms }) => ms));
    await storage.setAlarm(clock.now() + slowest);
  };
  /** Where one is set already, that one rings: it may have been set before the object slept. */
  const armIfNone = async (): Promise<void> => {
    if ((await storage.getAlarm()) === null) await arm();
  };

  return {
    every: (ms, action) => {
      const key = Symbol();
      actions.set(key, { ms, action });
      void armIfNone();
      return () => {
        actions.delete(key);
        if (actions.size === 0) void arm();
      };
    },
    ring: async () => {
      // What is sent after the alarm has been answered may not go out.
      for (const { action } of actions.values()) await action();
      await arm();
    },
  };
};
