import { isJsonObject } from '../../lib/is-json-object.ts';
import { DEFAULT_LIMITS } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Mapping, Path } from './request-field.ts';

/** The arguments of a call of the past as the object that other vendors take; an empty text is a call without any. */
export const argumentsOf = (text: string, path: Path, mapping: Mapping): JsonObject => {
  if (text.trim() === '') return {};
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (parsed.ok && isJsonObject(parsed.value as JsonValue)) return parsed.value as JsonObject;
  throw mapping.refused(path, 'must be a JSON object as text: this upstream takes the arguments of calls as an object');
};
