import { isJsonObject } from '../lib/is-json-object.ts';
import { isResourceSchema } from '../lib/resource-places.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

export type SchemaField = { readonly schema: JsonValue; readonly required: boolean };

/** What a schema, with all that it is put together of, says of one value. */
export type DescribedSchema = {
  /** Names of JSON types; none where any is allowed. */
  readonly types: ReadonlySet<string>;
  readonly format: string | null;
  readonly title: string | null;
  readonly isResource: boolean;
  readonly fields: ReadonlyMap<string, SchemaField>;
  /** Of the items of a list, and of the values of fields that have no name of their own. */
  readonly items: JsonValue | null;
  readonly values: JsonValue | null;
  /** The schemas that were looked at; one that comes back to them is recursive. */
  readonly sources: readonly JsonValue[];
};

type Resolve = (reference: string) => JsonValue | undefined;

/**
 * `$ref` is followed, `allOf` adds, `anyOf`, `oneOf`, `then` and `else` are alternatives: a field is required when it is
 * in all of them.
 */
export const describeSchema = (schema: JsonValue, resolve: Resolve): DescribedSchema =>
  describe(schema, resolve, new Set());

const ANYTHING: DescribedSchema = {
  types: new Set(),
  format: null,
  title: null,
  isResource: false,
  fields: new Map(),
  items: null,
  values: null,
  sources: [],
};

const describe = (schema: JsonValue, resolve: Resolve, seen: ReadonlySet<JsonValue>): DescribedSchema => {
  if (!isJsonObject(schema) || seen.has(schema)) return ANYTHING;
  const passed = new Set([...seen, schema]);
  const look = (part: JsonValue): DescribedSchema => describe(part, resolve, passed);
  const reference = schema['$ref'];
  const isReference = isResourceSchema(schema);
  const target = typeof reference === 'string' && !isReference ? resolve(reference) : undefined;
  const parts = [...(target === undefined ? [] : [target]), ...listOf(schema['allOf'])].map(look);
  const choices = [
    [...listOf(schema['anyOf'])].map(look),
    [...listOf(schema['oneOf'])].map(look),
    // Where only one of the two says something, the other allows anything.
    schema['then'] === undefined && schema['else'] === undefined
      ? []
      : [look(schema['then'] ?? true), look(schema['else'] ?? true)],
  ].filter((alternatives) => alternatives.length > 0);
  return [...parts, ...choices.map(either)].reduce(both, own(schema, isReference));
};

const own = (schema: JsonObject, isReference: boolean): DescribedSchema => {
  const needed = listOf(schema['required']);
  const properties = schemaProperties(schema);
  const fields = Object.entries(properties).map(([name, field]): [string, SchemaField] => [
    name,
    { schema: field as JsonValue, required: needed.includes(name) },
  ]);
  const { items, prefixItems, additionalProperties, patternProperties, format, title } = schema;
  const values = [
    ...(isJsonObject(additionalProperties) ? [additionalProperties] : []),
    ...(isJsonObject(patternProperties) ? (Object.values(patternProperties) as JsonValue[]) : []),
  ];
  const members = [
    ...listOf(prefixItems),
    ...(Array.isArray(items) ? listOf(items) : isJsonObject(items) ? [items] : []),
  ];
  return {
    types: new Set(typesOf(schema)),
    format: typeof format === 'string' ? format : null,
    title: typeof title === 'string' ? title : null,
    isResource: isReference || Object.hasOwn(properties, '$resource'),
    fields: new Map(isReference || Object.hasOwn(properties, '$resource') ? [] : fields),
    items: oneOf(members),
    values: oneOf(values),
    sources: [schema],
  };
};

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const oneOf = (schemas: readonly JsonValue[]): JsonValue | null =>
  schemas.length > 1 ? { anyOf: schemas } : (schemas[0] ?? null);

const typesOf = (schema: JsonObject): string[] => {
  const { type, enum: choices } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as string[];
  const { const: fixed } = schema;
  if (fixed !== undefined) return [nameOfType(fixed)];
  return [...new Set(listOf(choices).map(nameOfType))];
};

const nameOfType = (value: JsonValue): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

/** Both hold: the narrower word on the type, all fields, required where either says so. */
const both = (a: DescribedSchema, b: DescribedSchema): DescribedSchema => ({
  types: a.types.size === 0 ? b.types : a.types,
  format: a.format ?? b.format,
  title: a.title ?? b.title,
  isResource: a.isResource || b.isResource,
  fields: mergedFields(a, b, 'allOf', (one, other) => (one?.required ?? false) || (other?.required ?? false)),
  items: joined(a.items, b.items, 'allOf'),
  values: joined(a.values, b.values, 'allOf'),
  sources: [...a.sources, ...b.sources],
});

/** One of them holds. */
const either = (alternatives: readonly DescribedSchema[]): DescribedSchema =>
  alternatives.reduce((a, b) => ({
    types: new Set(a.types.size === 0 || b.types.size === 0 ? [] : [...a.types, ...b.types]),
    format: a.format === b.format ? a.format : null,
    title: a.title === b.title ? a.title : null,
    isResource: a.isResource && b.isResource,
    fields: mergedFields(a, b, 'anyOf', (one, other) => (one?.required ?? false) && (other?.required ?? false)),
    items: joined(a.items, b.items, 'anyOf'),
    values: joined(a.values, b.values, 'anyOf'),
    sources: [...a.sources, ...b.sources],
  }));

const mergedFields = (
  a: DescribedSchema,
  b: DescribedSchema,
  keyword: 'allOf' | 'anyOf',
  isRequired: (one: SchemaField | undefined, other: SchemaField | undefined) => boolean,
): ReadonlyMap<string, SchemaField> =>
  new Map(
    [...new Set([...a.fields.keys(), ...b.fields.keys()])].map((name) => {
      const [one, other] = [a.fields.get(name), b.fields.get(name)];
      const schema = joined(one?.schema ?? null, other?.schema ?? null, keyword) ?? true;
      return [name, { schema, required: isRequired(one, other) }];
    }),
  );

const joined = (a: JsonValue | null, b: JsonValue | null, keyword: 'allOf' | 'anyOf'): JsonValue | null =>
  a === null || b === null || a === b ? (a ?? b) : { [keyword]: [a, b] };
