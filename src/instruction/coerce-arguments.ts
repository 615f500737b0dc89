import { isJsonObject } from '../lib/is-json-object.ts';
import { parseJson } from '../lib/parse-json.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { normaliseKey } from './normalise-key.ts';

/**
 * Turns written fields into arguments: each key becomes the schema's own property name, each text the type that the
 * schema asks for. What the schema does not know keeps its spelling and stays text; nothing is ever guessed from how
 * a value looks.
 */
export const coerceArguments = (
  fields: Iterable<readonly [key: string, value: string]>,
  schema: JsonValue,
): JsonObject => {
  const properties = schemaProperties(schema);
  const names = new Map(Object.keys(properties).map((name) => [normaliseKey(name), name]));
  const args = new Map<string, JsonValue>();
  for (const [key, value] of fields) {
    const name = Object.hasOwn(properties, key) ? key : (names.get(normaliseKey(key)) ?? key);
    // The last of several fields with one key wins.
    args.set(name, coerce(value, properties[name]));
  }
  // fromEntries defines own properties, so a key named `__proto__` stays a plain key.
  return Object.fromEntries(args);
};

const coerce = (text: string, schema: JsonValue | undefined): JsonValue => {
  for (const type of typesOf(schema)) {
    const value = convert(text, type);
    if (value !== undefined) return value;
  }
  return text;
};

/** The types that a property takes; text is left alone as soon as text is one of them. */
const typesOf = (schema: JsonValue | undefined): string[] => {
  const declared = declaredTypes(schema);
  return declared.includes('string') ? [] : declared;
};

const declaredTypes = (schema: JsonValue | undefined): string[] => {
  if (!isJsonObject(schema)) return [];
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((item) => typeof item === 'string');
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) {
    const types = branches.map(declaredTypes);
    // A branch that says nothing of its type takes text as well.
    return types.some((list) => list.length === 0) ? ['string'] : [...new Set(types.flat())];
  }
  return typesOfValues(schema);
};

const typesOfValues = (schema: JsonObject): string[] => {
  const values = Array.isArray(schema['enum'])
    ? schema['enum']
    : Object.hasOwn(schema, 'const')
      ? [schema['const'] as JsonValue]
      : [];
  return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
};

const convert = (text: string, type: string): JsonValue | undefined => {
  const trimmed = text.trim();
  switch (type) {
    case 'integer':
      return /^[+-]?\d+$/.test(trimmed) && Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : undefined;
    case 'number':
      return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) && Number.isFinite(Number(trimmed))
        ? Number(trimmed)
        : undefined;
    case 'boolean':
      return /^true$/i.test(trimmed) ? true : /^false$/i.test(trimmed) ? false : undefined;
    case 'null':
      return /^null$/i.test(trimmed) ? null : undefined;
    case 'array':
    case 'object': {
      const parsed = parseJson(trimmed, DEFAULT_LIMITS);
      const fits =
        parsed.ok &&
        typeof parsed.value === 'object' &&
        parsed.value !== null &&
        Array.isArray(parsed.value) === (type === 'array');
      return fits ? (parsed.value as JsonValue) : undefined;
    }
    default:
      return undefined;
  }
};
