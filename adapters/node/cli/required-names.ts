import { isJsonObject } from '../../../src/lib/is-json-object.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';

/** The properties that a schema requires. */
export const requiredNames = (schema: JsonValue): ReadonlySet<string> =>
  new Set(
    isJsonObject(schema) && Array.isArray(schema['required'])
      ? schema['required'].filter((name) => typeof name === 'string')
      : [],
  );
