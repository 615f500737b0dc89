import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** The properties that a JSON Schema names, with their schemas; none for a boolean schema or one without any. */
export const schemaProperties = (schema: JsonValue | undefined): JsonObject => {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
};

const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
