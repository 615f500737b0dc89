import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { NO_CENSOR, type Censor } from './censor.ts';
import { toJsonPointer } from './json-pointer.ts';
import { keysOf } from './keys-of.ts';

/** A part that was left out: where it belongs, how much there was and how much was kept. */
export type Omission = {
  readonly pointer: string;
  readonly unit: 'items' | 'fields' | 'characters' | 'levels';
  readonly originalCount: number;
  readonly keptCount: number;
  /** Of fields: pointers to the first of those that are missing; the counts say how many there are. */
  readonly missing?: readonly string[];
};

export type SampledJson = { readonly value: JsonValue; readonly omissions: readonly Omission[] };

/** What a value costs beside its own characters: a key's punctuation, a line break, an indent. */
const OVERHEAD = 4;
/** The least that is worth showing of a string. */
const SHORTEST_EXCERPT = 24;

/** Characters beyond a cut that the censor sees: what begins before the cut is recognised by what follows it. */
const CENSOR_MARGIN = 32_768;
/** Characters at the end of what the censor saw that are not shown: a secret may begin there that it saw only a part of. */
const UNSURE_END = 16_400;
/** A key that does not fit is left out with its value when it is longer than this; shorter ones may exceed a tiny budget. */
const LONG_KEY = 256;
/** Keys that are looked at for a tiny budget: a short one may follow some that are too long. */
const LEAST_KEYS = 64;
/** Missing fields that are named one by one. */
const NAMED_FIELDS = 16;

export type SampleOptions = {
  /** Characters that the sample may cost. */
  readonly budget: number;
  /** Levels of nesting that it may have. */
  readonly depth: number;
  /** Where the value stands, for the pointers of the omissions. */
  readonly path?: readonly PropertyKey[];
  /** Asked about everything that is taken, before anything is cut from it. */
  readonly censor?: Censor;
};

/**
 * A copy of a value that costs about `budget` characters to print. Every cut is listed. Scalars of an object come
 * first and its containers share what is left, so that one long list does not push its neighbours out; a list that is cut
 * has its items whole, unless one takes more than half of its room. The work done follows the budget and not the size of
 * the value. A value that fits is given back as it is.
 */
export const sampleJson = (whole: JsonValue, options: SampleOptions): SampledJson => {
  const censor = options.censor ?? NO_CENSOR;
  const omissions: Omission[] = [];
  const cut = (path: readonly PropertyKey[], unit: Omission['unit'], originalCount: number, keptCount: number) =>
    omissions.push({ pointer: toJsonPointer(path), unit, originalCount, keptCount });

  const take = (
    current: JsonValue,
    budget: number,
    path: readonly PropertyKey[],
    depth: number,
  ): { value: JsonValue; cost: number } => {
    if (typeof current === 'string') return takeText(current, budget, path);
    if (typeof current !== 'object' || current === null)
      return { value: current, cost: String(current).length + OVERHEAD };
    if (depth <= 0) {
      const count = Array.isArray(current) ? current.length : keysOf(current).length;
      if (count > 0) cut(path, 'levels', count, 0);
      return { value: Array.isArray(current) ? [] : {}, cost: OVERHEAD };
    }
    return Array.isArray(current)
      ? takeArray(current, budget, path, depth)
      : takeObject(current as JsonObject, budget, path, depth);
  };

  const takeText = (text: string, budget: number, path: readonly PropertyKey[]): { value: JsonValue; cost: number } => {
    const kept = Math.max(SHORTEST_EXCERPT, Math.floor(budget) - OVERHEAD);
    const seesAll = text.length <= kept + CENSOR_MARGIN;
    const shown = censor.text(seesAll ? text : text.slice(0, kept + CENSOR_MARGIN), path);
    if (seesAll && shown.length <= kept) return { value: shown, cost: shown.length + OVERHEAD };
    // What was hidden made the text shorter, so that its end may have come before the cut.
    const sure = seesAll ? shown.length : Math.max(0, shown.length - UNSURE_END);
    const excerpt = wholeCharacters(shown, Math.min(kept, sure));
    cut(path, 'characters', text.length, excerpt.length);
    return { value: `${excerpt}…`, cost: excerpt.length + OVERHEAD };
  };

  const takeArray = (items: readonly JsonValue[], budget: number, path: readonly PropertyKey[], depth: number) => {
    const kept: JsonValue[] = [];
    let cost = OVERHEAD;
    const isWhole = costWithin(items, budget) <= budget;
    for (const item of items) {
      const left = budget - cost;
      if (left < SHORTEST_EXCERPT && kept.length > 0) break;
      const fits = costWithin(item, left) <= left;
      // Who reads on behind the last item must not miss a part of it: what would have had room further up waits for its turn.
      if (!fits && kept.length > 0 && costWithin(item, budget / 2) <= budget / 2) break;
      // A large item may have all that is left when it is the only one or all fit, and half of it while others wait.
      const hasAll = fits || isWhole || kept.length + 1 === items.length;
      const share = hasAll ? left : Math.max(left / 2, Math.min(left, 2 * SHORTEST_EXCERPT));
      const taken = take(item, share, [...path, kept.length], depth - 1);
      cost += taken.cost;
      kept.push(taken.value);
    }
    if (kept.length < items.length) cut(path, 'items', items.length, kept.length);
    return {
      value: kept.every((item, index) => item === items[index]) && kept.length === items.length ? items : kept,
      cost,
    };
  };

  /** Kept fields are not the first ones, so that no offset leads to the others: they are named, under names that may be shown. */
  const namedFields = (
    all: readonly string[],
    taken: ReadonlyMap<string, unknown>,
    path: readonly PropertyKey[],
    source: JsonObject,
  ): string[] => {
    const missing: string[] = [];
    for (const key of all.slice(0, taken.size + LEAST_KEYS)) {
      if (missing.length === NAMED_FIELDS) break;
      if (!taken.has(key) && key.length <= LONG_KEY)
        missing.push(toJsonPointer([...path, censor.key(key, path, source)]));
    }
    return missing;
  };

  const takeObject = (source: JsonObject, budget: number, path: readonly PropertyKey[], depth: number) => {
    const all = keysOf(source);
    // No more than these can have room: each costs its punctuation at least.
    const keys = all.slice(0, Math.max(LEAST_KEYS, Math.ceil(budget / OVERHEAD)));
    const taken = new Map<string, { readonly shown: string; readonly value: JsonValue }>();
    let cost = OVERHEAD;
    const isWhole = costWithin(source, budget) <= budget;
    const isLarge = (value: JsonValue) =>
      (typeof value === 'object' && value !== null) || (typeof value === 'string' && value.length > 120);
    const small = keys.filter((key) => !isLarge(source[key] as JsonValue));
    const large = keys.filter((key) => isLarge(source[key] as JsonValue));
    for (const [index, key] of [...small, ...large].entries()) {
      const left = budget - cost - key.length;
      if (left < OVERHEAD && key.length > LONG_KEY) continue;
      if (left < OVERHEAD && taken.size > 0) break;
      const waiting = isWhole || index < small.length ? 1 : large.length - (index - small.length);
      const shown = censor.key(key, path, source);
      const here = [...path, shown];
      const substitute = censor.field(key, source[key] as JsonValue, here);
      const part = take(substitute ?? (source[key] as JsonValue), left / waiting, here, depth - 1);
      cost += shown.length + part.cost;
      taken.set(key, { shown, value: part.value });
    }
    if (taken.size < all.length) {
      const missing = namedFields(all, taken, path, source);
      omissions.push({
        pointer: toJsonPointer(path),
        unit: 'fields',
        originalCount: all.length,
        keptCount: taken.size,
        ...(missing.length === 0 ? {} : { missing }),
      });
    }
    if (
      taken.size === all.length &&
      keys.every((key) => taken.get(key)?.shown === key && taken.get(key)?.value === source[key])
    )
      return { value: source, cost };
    const entries = keys
      .flatMap((key) => taken.get(key) ?? [])
      .map(({ shown, value: part }): [string, JsonValue] => [shown, part]);
    return { value: Object.fromEntries(entries), cost };
  };

  return { value: take(whole, options.budget, options.path ?? [], options.depth).value, omissions };
};

/** What a value would cost whole, or something above `most`: no more is looked at than could be shown. */
const costWithin = (value: JsonValue, most: number): number => {
  if (typeof value === 'string') return value.length + OVERHEAD;
  if (typeof value !== 'object' || value === null) return String(value).length + OVERHEAD;
  let cost = OVERHEAD;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (cost > most) return cost;
      cost += costWithin(item, most - cost);
    }
    return cost;
  }
  for (const key of keysOf(value)) {
    if (cost > most) return cost;
    cost += key.length + costWithin((value as JsonObject)[key] as JsonValue, most - cost);
  }
  return cost;
};

/** Cuts without splitting a surrogate pair. */
const wholeCharacters = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};
