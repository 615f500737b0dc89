import { describe, expect, it } from 'vitest';
import { toJsonPointer } from '../../../src/lib/json-pointer.ts';
import { declaresResources, resourcePlaces } from '../../../src/lib/resource-places.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';

const INPUT = { $ref: 'urn:vcp:schema:1.0:resource-input' };
const text = JSON.stringify(INPUT);
const ID = 'res_01JABCDEFGHJKMNPQRSTVWXYZ0';

const pointersIn = (schema: JsonValue, args: JsonValue): string[] =>
  resourcePlaces(schema, args).map(({ path }) => toJsonPointer(path));

describe('the places of resources', () => {
  it.each<[string, JsonValue, JsonValue, string[]]>([
    ['a property', { properties: { a: INPUT } }, { a: ID, b: ID }, ['/a']],
    [
      'a reference',
      { properties: { a: { $ref: 'urn:vcp:schema:1.0:resource-reference' } } },
      { a: { $resource: ID } },
      ['/a'],
    ],
    ['other properties', { properties: { a: true }, additionalProperties: INPUT }, { a: ID, b: ID }, ['/b']],
    ['properties by pattern', { patternProperties: { '^f_': INPUT } }, { f_1: ID, g_1: ID }, ['/f_1']],
    ['items', { properties: { a: { items: INPUT } } }, { a: [ID, ID] }, ['/a/0', '/a/1']],
    ['the first items', { prefixItems: [true, INPUT], items: { type: 'string' } }, [ID, ID, ID], ['/1']],
    ['items of draft-07', { items: [true, INPUT], additionalItems: INPUT }, [ID, ID, ID], ['/1', '/2']],
    ['alternatives', { properties: { a: { oneOf: [{ type: 'integer' }, INPUT] } } }, { a: ID }, ['/a']],
    [
      'all of several',
      { allOf: [{ properties: { a: INPUT } }, { properties: { b: INPUT } }] },
      { a: ID, b: ID },
      ['/a', '/b'],
    ],
    [
      'conditions',
      JSON.parse(`{"if":true,"then":{"properties":{"a":${text}}},"else":{"properties":{"b":${text}}}}`) as JsonValue,
      { a: ID, b: ID },
      ['/a', '/b'],
    ],
    [
      'definitions',
      { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { properties: { 'b/c': INPUT } } } },
      { a: { 'b/c': ID } },
      ['/a/b~1c'],
    ],
    [
      'a schema in itself',
      { properties: { a: INPUT, next: { $ref: '#' } } },
      { a: ID, next: { next: { a: ID } } },
      ['/a', '/next/next/a'],
    ],
    ['a name like those of prototypes', { properties: { constructor: INPUT } }, { constructor: ID }, ['/constructor']],
    ['values that are none', { properties: { a: { anyOf: [INPUT, true] } } }, { a: 'words' }, []],
    ['no value', { properties: { a: INPUT } }, {}, []],
    ['names that only look so', { properties: { a: { const: INPUT } } }, { a: ID }, []],
    ['anything', true, { a: ID }, []],
  ])('are found in %s', (_, schema, args, pointers) => {
    expect(pointersIn(schema, args)).toEqual(pointers);
  });

  it('have what is asked of them, one of several where several say so', () => {
    const first = { ...INPUT, 'x-resource': { kinds: ['image'] } };
    const second = { ...INPUT, 'x-resource': { maxBytes: 5 } };
    const found = resourcePlaces({ properties: { a: { anyOf: [first, second] }, b: INPUT } }, { a: ID, b: ID });
    expect(found.map(({ constraints }) => constraints)).toEqual([[{ kinds: ['image'] }, { maxBytes: 5 }], [{}]]);
  });

  it('are known of a schema without a value', () => {
    expect(declaresResources({ $defs: { a: { items: INPUT } } })).toBe(true);
    expect(declaresResources({ properties: { a: { $ref: '#/$defs/b' } } })).toBe(false);
    expect(declaresResources(true)).toBe(false);
  });
});
