import type { ScheduleService } from '../runtime/scheduling/schedule-service.ts';
import { scheduleFromTimelyContact } from '../schedule/timely-contact.ts';
import type { CallForLater } from './loop/block-calls.ts';

/** Schedules a call that a model wants to be made later (`timely_contact`). */
export const createCallLater =
  (schedules: Pick<ScheduleService, 'create'>, timeZone: string): CallForLater =>
  async ({ toolName, arguments: args, actor, at }, { owner }) => {
    const read = scheduleFromTimelyContact(at, timeZone);
    if (!read.ok) return { ok: false, message: `Not scheduled: ${read.message}.` };
    const made = await schedules.create(
      { tool: toolName, arguments: args, ...read.times },
      { owner, actor, source: 'ai-loop' },
    );
    if (!made.ok) {
      const places = made.refusal.issues?.map(({ pointer, message }) => `\n${pointer || '(root)'}: ${message}`) ?? [];
      return { ok: false, message: `Not scheduled: ${made.refusal.message}.${places.join('')}` };
    }
    const { id, nextRunAt } = made.schedule;
    return { ok: true, message: `Scheduled as ${id}${nextRunAt === null ? '' : ` for ${nextRunAt}`}.` };
  };
