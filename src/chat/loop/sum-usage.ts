import { isJsonObject } from '../../lib/is-json-object.ts';
import type { ModelUsage } from '../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** The tokens of several answers together: numbers are added up, also in the details; of all else the last counts. */
export const sumUsage = (first: ModelUsage | null, second: ModelUsage | null): ModelUsage | null => {
  if (first === null || second === null) return second ?? first;
  return sum(first, second) as ModelUsage;
};

const sum = (first: JsonObject, second: JsonObject): JsonObject => {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries([...names].map((name) => [name, sumOf(first[name], second[name])]));
};

const sumOf = (first: JsonValue | undefined, second: JsonValue | undefined): JsonValue => {
  if (first === undefined || second === undefined) return (second ?? first) as JsonValue;
  if (typeof first === 'number' && typeof second === 'number') return first + second;
  return isJsonObject(first) && isJsonObject(second) ? sum(first, second) : second;
};
