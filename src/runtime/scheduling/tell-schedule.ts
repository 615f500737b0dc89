import type { EventSink, NewEvent } from '../../ports/event-sink.ts';
import type { StoredSchedule } from '../../ports/schedule-store.ts';

type ScheduleEvent = Extract<NewEvent, { type: 'schedule' }>;

/** Tells the owner of a schedule, and operators, what became of it. */
export const tellSchedule = (
  events: EventSink,
  schedule: Pick<StoredSchedule, 'id' | 'owner' | 'toolName'>,
  state: ScheduleEvent['data']['state'],
  {
    dueAt = null,
    status = null,
    ...ids
  }: { readonly dueAt?: number | null; readonly status?: ScheduleEvent['data']['status'] } & Pick<
    ScheduleEvent,
    'invocationId' | 'requestId' | 'resultId' | 'recordId'
  > = {},
): void =>
  events.emit(
    {
      type: 'schedule',
      scheduleId: schedule.id,
      toolName: schedule.toolName,
      ...ids,
      data: { state, dueAt: dueAt === null ? null : new Date(dueAt).toISOString(), status },
    },
    { audience: { to: 'owner', owner: schedule.owner } },
  );
