import type { Censor } from '../lib/censor.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/**
 * A value as the censor lets it be read. Only what changes is copied; a clean value is given back as it is. `path` is
 * where the value stands in the result. Depth was bounded when the value came in.
 */
export const redactValue = (value: JsonValue, path: readonly PropertyKey[], censor: Censor): JsonValue => {
  if (typeof value === 'string') return censor.text(value, path);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactArray(value, path, censor) : redactObject(value as JsonObject, path, censor);
};

const redactArray = (items: readonly JsonValue[], path: readonly PropertyKey[], censor: Censor): JsonValue => {
  let copy: JsonValue[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as JsonValue;
    if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) continue;
    const redacted = redactValue(item, [...path, index], censor);
    if (redacted === item) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
};

const redactObject = (source: JsonObject, path: readonly PropertyKey[], censor: Censor): JsonValue => {
  let changed = false;
  const entries = Object.keys(source).map((key): [string, JsonValue] => {
    const shown = censor.key(key, path, source);
    const value = source[key] as JsonValue;
    const here = [...path, shown];
    const redacted = censor.field(key, value, here) ?? redactValue(value, here, censor);
    if (shown !== key || redacted !== value) changed = true;
    return [shown, redacted];
  });
  return changed ? Object.fromEntries(entries) : source;
};
