import { isJsonObject } from '../lib/is-json-object.ts';
import { schemasOfStep, subschemas } from '../lib/subschemas.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** What an output schema says of one place of `data`. */
export type SchemaPlace = {
  /** Set where a text is declared to be Base64; with the type of its content, if that is said too. */
  readonly base64: { readonly mediaType: string | null } | null;
  /** Set where a text stays one, whatever it looks like: `"x-inline": "keep"`. */
  readonly keepsText: boolean;
  /** What it says of a property or element, or null when that is nothing of interest. */
  at(step: string | number): SchemaPlace | null;
};

/** The root place of a schema, or null when it says nothing of files as text, which is the common case. */
export const schemaPlaceOf = (schema: unknown): SchemaPlace | null => {
  if (typeof schema !== 'object' || schema === null) return null;
  const known = roots.get(schema);
  if (known !== undefined) return known;
  const root = tellsOfTexts(schema as JsonValue) ? placeOf([schema as JsonValue], schema as JsonObject) : null;
  roots.set(schema, root);
  return root;
};

/** Each schema is looked through once, not once a call. */
const roots = new WeakMap<object, SchemaPlace | null>();

/** `format: "byte"` is what OpenAPI 3.0 has for `contentEncoding: "base64"`. */
const isBase64 = ({ contentEncoding, format }: JsonObject): boolean =>
  (typeof contentEncoding === 'string' && contentEncoding.toLowerCase() === 'base64') || format === 'byte';

const keepsText = (schema: JsonObject): boolean => schema['x-inline'] === 'keep';

const tellsOfTexts = (value: JsonValue): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonObject(value) && (isBase64(value) || keepsText(value))) return true;
  return Object.values(value).some(tellsOfTexts);
};

const placeOf = (schemas: readonly JsonValue[], root: JsonObject): SchemaPlace | null => {
  const all = subschemas(schemas, root);
  if (all.length === 0) return null;
  const declaring = all.filter(isBase64);
  const types = declaring.map((schema) => schema['contentMediaType']);
  const places = new Map<string | number, SchemaPlace | null>();
  const longestPrefix = Math.max(0, ...all.map(({ prefixItems, items }) => lengthOf(prefixItems ?? items)));
  return {
    base64: declaring.length === 0 ? null : { mediaType: types.find((type) => typeof type === 'string') ?? null },
    keepsText: all.some(keepsText),
    at: (step) => {
      // All elements after the ones that have schemas of their own are one place.
      const key = typeof step === 'number' ? Math.min(step, longestPrefix) : `.${step}`;
      let place = places.get(key);
      if (place === undefined) {
        const children = all.flatMap((schema) => schemasOfStep(schema, step));
        place = placeOf(children, root);
        if (places.size < MOST_PLACES) places.set(key, place);
      }
      return place;
    },
  };
};

/** Properties of one object that are remembered; a map with more keys is looked up anew. */
const MOST_PLACES = 1_000;

const lengthOf = (value: JsonValue | undefined): number => (Array.isArray(value) ? value.length : 0);
