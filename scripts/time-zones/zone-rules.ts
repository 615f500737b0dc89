/** A change of a zone's offset, in seconds. */
export type Transition = { readonly at: number; readonly offset: number };

/** A change that comes every year: on the first such weekday from a day on, `day` counted from the first of March. */
export type YearlyRule = {
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Seconds of that day by the clock before the change. */
  readonly time: number;
  readonly offset: number;
};

export type ZoneRules = {
  /** Before the first transition. */
  readonly offset: number;
  readonly transitions: readonly Transition[];
  /** The two that hold after the last transition; none when nothing changes any more. */
  readonly yearly: readonly YearlyRule[];
};

const FIRST_YEAR = 1900;
/** Rules that hold from here on until the last year hold for ever; those that do not are written out until then. */
const RULED_FROM = 2_045;
const LAST_YEAR = 2_099;
const DAY = 86_400;
const YEAR = 365 * DAY;

/** What this runtime knows of a zone, its yearly rules found out from the changes of the coming decades. */
export const zoneRules = (name: string): ZoneRules => {
  const start = Temporal.Instant.from(`${FIRST_YEAR}-01-01T00:00Z`).toZonedDateTimeISO(name);
  const all: Transition[] = [];
  for (
    let next = start.getTimeZoneTransition('next');
    next !== null && next.year <= LAST_YEAR;
    next = next.getTimeZoneTransition('next')
  ) {
    all.push({ at: next.epochMilliseconds / 1_000, offset: next.offsetNanoseconds / 1e9 });
  }
  const offset = start.offsetNanoseconds / 1e9;
  const dated = all.map((transition, index) => ({
    ...transition,
    ...dateOf(transition.at, all[index - 1]?.offset ?? offset),
  }));
  const yearly = yearlyRules(dated.filter(({ year }) => year >= RULED_FROM));
  if (yearly === null) return { offset, transitions: all, yearly: [] };
  // What comes after a change by the rules need not be written out, as long as no year was left out between.
  let length = dated.length;
  while (length > 1 && isRuled(yearly, dated[length - 2], dated[length - 1])) length -= 1;
  return { offset, transitions: all.slice(0, length), yearly };
};

type Dated = Transition & {
  readonly year: number;
  readonly day: number;
  readonly weekday: number;
  readonly time: number;
};

/** When a change comes by the clock before it, in years that begin in March: leap days come last. */
const dateOf = (at: number, offsetBefore: number) => {
  const local = at + offsetBefore;
  const days = Math.floor(local / DAY);
  const date = new Date(days * DAY * 1_000);
  const year = date.getUTCFullYear() - (date.getUTCMonth() < 2 ? 1 : 0);
  const march = Date.UTC(year, 2, 1) / 1_000 / DAY;
  return { year, day: days - march, weekday: date.getUTCDay(), time: local - days * DAY };
};

/** Null when the changes follow no two rules, as those by the moon do not, or when there are none. */
const yearlyRules = (changes: readonly Dated[]): YearlyRule[] | null => {
  const offsets = [...new Set(changes.map(({ offset }) => offset))];
  if (offsets.length !== 2) return null;
  const rules = offsets.map((offset) => {
    const same = changes.filter((change) => change.offset === offset);
    const [first] = same as [Dated];
    const rule = { day: Math.min(...same.map(({ day }) => day)), weekday: first.weekday, time: first.time, offset };
    return same.every((change) => follows(rule, change)) ? rule : null;
  });
  return rules.every((rule) => rule !== null) ? rules : null;
};

const isRuled = (yearly: readonly YearlyRule[], before: Dated | undefined, change: Dated | undefined): boolean =>
  before !== undefined &&
  change !== undefined &&
  change.at - before.at < YEAR &&
  change.offset !== before.offset &&
  [before, change].every((each) => yearly.some((rule) => follows(rule, each)));

const follows = (rule: YearlyRule, change: Dated | undefined): boolean =>
  change !== undefined &&
  change.offset === rule.offset &&
  change.weekday === rule.weekday &&
  change.time === rule.time &&
  change.day >= rule.day &&
  change.day < rule.day + 7;
