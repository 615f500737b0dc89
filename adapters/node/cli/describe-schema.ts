import { isJsonObject } from '../../../src/lib/is-json-object.ts';
import { isResourceSchema } from '../../../src/lib/resource-places.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';

/** The values that a schema allows when it lists them. */
export const listedValues = (schema: JsonValue | undefined): readonly JsonValue[] => {
  if (!isJsonObject(schema)) return [];
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as JsonValue];
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return schema['type'] === 'boolean' ? [true, false] : [];
};

/** What kind of value a schema asks for, in a few words: `integer 1–100`, `array of string`, `"km" | "mile"`. */
export const describeType = (schema: JsonValue | undefined): string => {
  if (!isJsonObject(schema)) return 'anything';
  if (isResourceSchema(schema)) return 'resource, @file uploads one';
  if (schema['type'] !== 'boolean') {
    const listed = listedValues(schema);
    if (listed.length > 0) return listed.map((value) => JSON.stringify(value)).join(' | ');
  }
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (schema['type'] === undefined && Array.isArray(branches))
    return [...new Set(branches.map(describeType))].join(' or ');
  const { type } = schema;
  if (type === 'array' && isJsonObject(schema['items'])) return `array of ${describeType(schema['items'])}`;
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
  const range = rangeOf(schema);
  const format = typeof schema['format'] === 'string' ? ` (${schema['format']})` : '';
  return `${name}${range === '' ? '' : ` ${range}`}${format}`;
};

/** Bounds of a number, a text or a list. */
const rangeOf = (schema: JsonObject): string => {
  const bound = (name: string): number | null => (typeof schema[name] === 'number' ? schema[name] : null);
  const between = (least: number | null, most: number | null, unit = ''): string => {
    if (least === null && most === null) return '';
    if (least === null) return `≤ ${most}${unit}`;
    return most === null ? `≥ ${least}${unit}` : `${least}–${most}${unit}`;
  };
  return [
    between(bound('minimum'), bound('maximum')),
    bound('exclusiveMinimum') === null ? '' : `> ${bound('exclusiveMinimum')}`,
    bound('exclusiveMaximum') === null ? '' : `< ${bound('exclusiveMaximum')}`,
    bound('multipleOf') === null ? '' : `in steps of ${bound('multipleOf')}`,
    between(bound('minLength'), bound('maxLength'), ' characters'),
    between(bound('minItems'), bound('maxItems'), ' items'),
  ]
    .filter((part) => part !== '')
    .join(', ');
};
