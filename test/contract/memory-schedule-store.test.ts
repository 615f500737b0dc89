import { createMemoryScheduleStore } from '../../adapters/memory/memory-schedule-store.ts';
import { describeScheduleStore } from './suites/schedule-store.ts';

describeScheduleStore('memory', async () => ({
  schedules: createMemoryScheduleStore(),
  close: () => Promise.resolve(),
}));
