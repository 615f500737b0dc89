import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** Whether a JSON value is an object: no list, not null. */
export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
