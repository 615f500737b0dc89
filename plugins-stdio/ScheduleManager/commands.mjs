import { checkContent, checkId, checkNames, checkOptionalTime, checkTime, echo } from './arguments.mjs';
import { failure } from './failure.mjs';
import { compareInstants, parseRfc3339 } from './rfc3339.mjs';
import { ulid } from './ulid.mjs';

const SCHEDULE_LIMIT = 10_000;
const LOCK_WAIT_LIMIT_MS = 8_000;
const ANSWER_MARGIN_MS = 500; // left of the call's deadline for work and answer once the lock is had
const LISTING_LIMIT_BYTES = 8 * 1024 * 1024; // half of the largest frame that the host reads

/** The handlers of the commands, on a schedule store. They may run at once, in this process and in others. */
export function openCommands(store) {
  return {
    AddSchedule: (args, call) => addSchedule(args, store, call),
    ListSchedules: (args) => listSchedules(args, store),
    DeleteSchedule: (args, call) => deleteSchedule(args, store, call),
  };
}

async function addSchedule(args, store, call) {
  const fault = checkNames(args, ['command', 'time', 'content']) ?? checkTime(args, 'time') ?? checkContent(args);
  if (fault) return failure(fault);

  const schedule = { id: `sch_${ulid()}`, time: args.time, content: args.content };
  const { error } = await store.change(
    (schedules) =>
      schedules.length >= SCHEDULE_LIMIT ? { error: limitReached() } : { schedules: [...schedules, schedule] },
    lockWait(call),
  );
  if (error) return failure(error);
  return {
    data: { operation: 'created', schedule },
    presentation: { summary: 'Schedule added', preferredView: 'schedule-card' },
    aiAdvice: relay('Confirm the time and content of the added schedule to the user.'),
  };
}

function listSchedules(args, store) {
  const fault =
    checkNames(args, ['command', 'from', 'until']) ??
    checkOptionalTime(args, 'from') ??
    checkOptionalTime(args, 'until');
  if (fault) return failure(fault);
  const from = args.from === undefined ? null : parseRfc3339(args.from).instant;
  const until = args.until === undefined ? null : parseRfc3339(args.until).instant;
  if (from && until && compareInstants(from, until) > 0) return failure(rangeReversed(args));

  const { schedules: stored, error } = store.read();
  if (error) return failure(error);
  const matching = stored
    .map((schedule) => ({ schedule, instant: parseRfc3339(schedule.time).instant }))
    .filter(
      ({ instant }) =>
        !(from && compareInstants(instant, from) < 0) && !(until && compareInstants(instant, until) >= 0),
    )
    .toSorted((a, b) => compareInstants(a.instant, b.instant)) // stable: equal instants stay in order of creation
    .map(({ schedule }) => schedule);
  const schedules = takeWithinBytes(matching, LISTING_LIMIT_BYTES);
  const total = matching.length;
  return {
    data: { schedules, total },
    warnings: schedules.length < total ? [listingTruncated(total, schedules.length)] : [],
    presentation: {
      summary: total === 0 ? 'No schedules' : total === 1 ? '1 schedule' : `${total} schedules`,
      preferredView: 'schedule-list',
    },
  };
}

async function deleteSchedule(args, store, call) {
  const fault = checkNames(args, ['command', 'id']) ?? checkId(args);
  if (fault) return failure(fault);

  const { deleted, error } = await store.change((schedules) => {
    const found = schedules.find(({ id }) => id === args.id);
    if (!found) return { error: notFound(args.id) };
    return { schedules: schedules.filter((schedule) => schedule !== found), deleted: found };
  }, lockWait(call));
  if (error) return failure(error);
  return {
    data: { operation: 'deleted', schedule: deleted },
    presentation: { summary: 'Schedule deleted', preferredView: 'schedule-card' },
    aiAdvice: relay('Tell the user which schedule was deleted.'),
  };
}

/** How long a call may wait for its turn: until shortly before its deadline, or until it is cancelled. */
function lockWait({ deadline, signal }) {
  const left = deadline.getTime() - Date.now() - ANSWER_MARGIN_MS;
  return { waitMs: Math.max(0, Math.min(LOCK_WAIT_LIMIT_MS, left)), signal };
}

/** The longest beginning of a list whose JSON stays within that many bytes. */
function takeWithinBytes(schedules, limitBytes) {
  let bytes = 0;
  const end = schedules.findIndex((schedule) => {
    bytes += Buffer.byteLength(JSON.stringify(schedule)) + 1;
    return bytes > limitBytes;
  });
  return end === -1 ? schedules : schedules.slice(0, end);
}

function relay(message) {
  return { intent: 'relay', message, resourceIds: [], renderHint: 'text', priority: 'normal' };
}

function limitReached() {
  return {
    code: 'SCHEDULE.LIMIT_REACHED',
    message:
      `All ${SCHEDULE_LIMIT} places for schedules are taken. ` +
      'Delete schedules that are no longer needed, then add this one again.',
    details: { limit: SCHEDULE_LIMIT },
  };
}

function notFound(id) {
  return {
    code: 'SCHEDULE.NOT_FOUND',
    message: `No schedule has the id "${echo(id)}". ListSchedules shows the ids there are.`,
    target: 'id',
    details: { received: echo(id) },
  };
}

function rangeReversed({ from, until }) {
  return {
    code: 'INVALID_ARGUMENT',
    message: '"until" is earlier than "from", so no schedule can lie between. Swap them or widen the range.',
    target: 'until',
    details: { from, until },
  };
}

function listingTruncated(originalCount, returnedCount) {
  return {
    code: 'OUTPUT_TRUNCATED',
    message:
      `The earliest ${returnedCount} of ${originalCount} schedules are listed; the rest would be too much for one answer. ` +
      'Ask for a narrower range with "from" and "until".',
    target: 'data.schedules',
    details: { originalCount, returnedCount },
  };
}
