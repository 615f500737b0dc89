import type { Clock } from '../ports/clock.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { LogFields, Logger } from '../ports/logger.ts';
import type { EventIds, VcpEvent } from '../protocol/event.ts';

type Level = Extract<VcpEvent, { type: 'vcp_log' }>['data']['level'];

const ID_FIELDS = [
  ['invocationId', 'ti_'],
  ['requestId', 'req_'],
  ['resultId', 'tr_'],
  ['recordId', 'tcr_'],
  ['taskId', 'task_'],
  ['approvalId', 'apr_'],
  ['scheduleId', 'sch_'],
] as const satisfies readonly (readonly [keyof EventIds, string])[];

const MOST_CHARACTERS = 4_000;
const MOST_NAME = 256;

/**
 * A logger whose lines of level `info` and above are events for operators as well. Beyond so many in a second they are
 * only counted, and the count is an event when the second is over and another line comes.
 */
export const withLogEvents = (
  logger: Logger,
  sink: EventSink,
  { clock, mostPerSecond }: { readonly clock: Pick<Clock, 'monotonic'>; readonly mostPerSecond: number },
): Logger => {
  let second = Number.NEGATIVE_INFINITY;
  let told = 0;
  let left = 0;

  const tell = (level: Level, event: string, fields: LogFields = {}) => {
    const now = Math.floor(clock.monotonic() / 1_000);
    if (now !== second) {
      if (left > 0) emit(sink, 'warn', 'log.lines-not-pushed', { lines: left });
      second = now;
      told = 0;
      left = 0;
    }
    if (told >= mostPerSecond) {
      left += 1;
      return;
    }
    told += 1;
    emit(sink, level, event, fields);
  };

  const both = (level: 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    logger[level](event, fields);
    tell(level, event, fields);
  };
  return {
    debug: (event, fields) => logger.debug(event, fields),
    info: both('info'),
    warn: both('warn'),
    error: both('error'),
  };
};

const emit = (sink: EventSink, level: Level, event: string, fields: LogFields): void => {
  const { toolName, ...others } = fields;
  const ids: Record<string, string> = {};
  for (const [name, prefix] of ID_FIELDS) {
    const value = others[name];
    if (typeof value === 'string' && value.startsWith(prefix)) ids[name] = value;
  }
  const details = Object.fromEntries(
    Object.entries(others).flatMap(([name, value]) => {
      if (value === undefined || Object.hasOwn(ids, name)) return [];
      return [[name, typeof value === 'string' ? value.slice(0, MOST_CHARACTERS).toWellFormed() : value]];
    }),
  );
  sink.emit(
    {
      type: 'vcp_log',
      ...ids,
      toolName: typeof toolName === 'string' ? toolName.slice(0, MOST_NAME).toWellFormed() : null,
      data: { level, source: 'server', message: event.slice(0, MOST_CHARACTERS), details },
    },
    { audience: { to: 'operators' } },
  );
};
