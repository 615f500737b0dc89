import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isJsonObject } from './is-json-object.ts';
import { targetOf } from './schema-cost.ts';

/** Subschemas that are followed for one place; a schema that combines more is only looked at so far. */
const MOST_SUBSCHEMAS = 64;

/** Schemas and all that they are made of for the same value; references within the document are followed. */
export const subschemas = (schemas: readonly JsonValue[], root: JsonValue): JsonObject[] => {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined && found.size < MOST_SUBSCHEMAS; next = waiting.pop()) {
    if (!isJsonObject(next) || found.has(next)) continue;
    found.add(next);
    for (const key of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(next[key])) waiting.push(...next[key]);
    for (const key of ['then', 'else']) if (next[key] !== undefined) waiting.push(next[key]);
    if (typeof next['$ref'] === 'string') waiting.push((targetOf(root, next['$ref']) ?? null) as JsonValue);
  }
  return [...found];
};

/** What a schema itself says of a property or an element of its value. */
export const schemasOfStep = (schema: JsonObject, step: string | number): JsonValue[] =>
  typeof step === 'number' ? ofElement(schema, step) : ofProperty(schema, step);

/** 2020-12 has `prefixItems` and `items`, draft-07 a list of `items` and `additionalItems`. */
const ofElement = ({ prefixItems, items, additionalItems }: JsonObject, index: number): JsonValue[] => {
  const prefix = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  const schema = index < prefix.length ? prefix[index] : rest;
  return schema === undefined ? [] : [schema];
};

const ofProperty = (schema: JsonObject, name: string): JsonValue[] => {
  const { properties, patternProperties, additionalProperties } = schema;
  const found = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name] as JsonValue] : [];
  // The patterns were found harmless when the schema was compiled.
  if (isJsonObject(patternProperties))
    for (const [pattern, one] of Object.entries(patternProperties)) if (isMatch(pattern, name)) found.push(one);
  return found.length > 0 || additionalProperties === undefined ? found : [additionalProperties];
};

const isMatch = (pattern: string, name: string): boolean => {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    // Some patterns are only valid without the flag.
    return new RegExp(pattern).test(name);
  }
};
