import type { Clock } from '../../ports/clock.ts';
import { plainValue, type VariableSource } from './variable-source.ts';

export type TimeOptions = {
  readonly clock: Pick<Clock, 'now'>;
  /** IANA name, such as `Asia/Shanghai`. */
  readonly timeZone: string;
  /** BCP 47 tag of the language that the weekday is named in. */
  readonly locale: string;
};

/**
 * `{{Date}}` (2026-11-30), `{{Time}}` (19:05:09), `{{Today}}` (the weekday), `{{DateTime}}` (with the offset from UTC) and
 * `{{Timezone}}`. Numbers are written as no reader mistakes them, whatever the language.
 */
export const timeVariables = ({ clock, timeZone, locale }: TimeOptions): VariableSource => {
  const numbers = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const weekday = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' });
  const partsNow = () => new Map(numbers.formatToParts(clock.now()).map(({ type, value }) => [type, value]));
  const date = () => {
    const parts = partsNow();
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
  const time = () => {
    const parts = partsNow();
    return `${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`;
  };
  const offset = () => partsNow().get('timeZoneName')?.replace('GMT', '') || '+00:00';

  const values = new Map<string, () => string>([
    ['Date', date],
    ['Time', time],
    ['Today', () => weekday.format(clock.now())],
    ['DateTime', () => `${date()}T${time()}${offset()}`],
    ['Timezone', () => timeZone],
  ]);
  return {
    find: (name) => {
      const value = values.get(name);
      return value === undefined ? null : plainValue(value());
    },
  };
};
