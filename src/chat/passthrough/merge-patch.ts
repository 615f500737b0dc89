import { isJsonObject } from '../../lib/is-json-object.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** RFC 7396: the object with the patch merged into it; `null` takes a field away, a list replaces a list. */
export const mergePatch = (target: JsonValue | undefined, patch: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, isJsonObject(value) ? mergePatch(merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
};
