import type { Schedule } from '../../../src/protocol/schedule.ts';
import { printable, table, wrapped, type Paint } from './terminal.ts';

/** When a schedule is due, in its own words. */
export const timesOf = ({ at, cron, timeZone }: Schedule): string => at ?? `${cron} (${timeZone})`;

/** A table of schedules; below each, when it is due and what it is for, which no line has room for beside its id. */
export const listedSchedules = (schedules: readonly Schedule[], columns: number, paint: Paint): string => {
  const rows = schedules.map(({ id, state, nextRunAt, tool }) => [
    id,
    state,
    nextRunAt?.replace(/\.\d+Z$/, 'Z') ?? '-',
    printable(tool),
  ]);
  const [heading = '', ...lines] = table(['ID', 'STATE', 'NEXT RUN', 'TOOL'], rows, columns, paint).split('\n');
  const below = schedules.map((schedule) => {
    const words = [timesOf(schedule), schedule.label].filter((part) => part !== null).join(' · ');
    return wrapped(printable(words), columns, 2);
  });
  return [heading, ...below.flatMap((words, index) => [lines[index] ?? '', words]), ''].join('\n');
};
