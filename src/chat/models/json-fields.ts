import { isJsonObject } from '../../lib/is-json-object.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** The text, or an empty one for everything else. */
export const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The text, or null for everything else and for nothing. */
export const orNothing = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The objects of a list; nothing for everything else. */
export const objectsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => isJsonObject(item)) : [];

/** A count, or 0 for everything else. */
export const countOf = (value: JsonValue | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
