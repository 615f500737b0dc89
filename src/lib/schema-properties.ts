import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isJsonObject } from './is-json-object.ts';

/** The properties that a JSON Schema names, with their schemas; none for a boolean schema or one without any. */
export const schemaProperties = (schema: JsonValue | undefined): JsonObject => {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
};
