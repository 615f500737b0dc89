import { describe, expect, it } from 'vitest';
import { portsOf } from '../../../src/registry/describe-tool.ts';
import { schemaPorts } from '../../../src/registry/schema-ports.ts';
import { PluginManifest } from '../../../src/protocol/manifest.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import { manifest } from '../../support/sample-values.ts';

/** A port in one line: where it is, what it is, `?` when it may be missing, `+` when it has more inside. */
const lines = (schema: JsonValue): string[] =>
  schemaPorts(schema).map(
    ({ within, pointer, type, format, required, more }) =>
      `${within.map((list) => `${list}[]`).join(' ')} ${pointer}: ${type}${format === null ? '' : ` ${format}`}${required ? '' : '?'}${more ? '+' : ''}`,
  );

const object = (properties: JsonValue, more: object = {}): JsonValue =>
  ({ type: 'object', properties, ...more }) as unknown as JsonValue;

/** Read from a text: an object with a `then` could be taken for a promise. */
const conditional = (schema: JsonValue): JsonValue =>
  object({ a: true }, JSON.parse(`{"if":true,"then":${JSON.stringify(schema)}}`) as object);

describe('the ports of a command', () => {
  it('are the places that its schemas speak of', () => {
    const inputSchema = object(
      { command: { const: 'Run' }, 'a/b': { type: ['string', 'null'], title: 'A', format: 'date-time' } },
      { required: ['command'] },
    );
    const outputSchema = object({
      image: { $ref: 'urn:vcp:schema:1.0:resource-reference' },
      song: { type: 'object' },
      rows: { type: 'array', items: object({ id: { type: 'integer' } }, { required: ['id'] }) },
    });
    const resourceOutputs = [
      { field: '/song', kind: 'audio' },
      { field: '/image', kind: 'image' },
    ];
    const parsed = PluginManifest.parse(manifest({}, { inputSchema, outputSchema, resourceOutputs }));
    const bare = { within: [], format: null, required: false, title: null, resourceKind: null, more: false };
    expect(portsOf(parsed.capabilities.invocationCommands[0]!)).toEqual({
      inputs: [
        { ...bare, name: '', pointer: '', type: 'object', required: true },
        { ...bare, name: 'command', pointer: '/command', type: 'string', required: true },
        { ...bare, name: 'a/b', pointer: '/a~1b', type: 'string|null', format: 'date-time', title: 'A' },
      ],
      outputs: [
        { ...bare, name: '', pointer: '', type: 'object', required: true },
        { ...bare, name: 'image', pointer: '/image', type: 'resource', resourceKind: 'image' },
        { ...bare, name: 'song', pointer: '/song', type: 'resource', resourceKind: 'audio' },
        { ...bare, name: 'rows', pointer: '/rows', type: 'array' },
        { ...bare, name: 'item', pointer: '', within: ['/rows'], type: 'object' },
        { ...bare, name: 'id', pointer: '/id', within: ['/rows'], type: 'integer', required: true },
      ],
    });
  });

  it.each<[string, JsonValue, string[]]>([
    ['anything', true, [' : any']],
    [
      'references',
      { $ref: '#/$defs/a', $defs: { a: object({ b: { $ref: '#b' } }), b: { $anchor: 'b', type: 'number' } } },
      [' : object', ' /b: number?'],
    ],
    [
      'alternatives: what all have is required, types add up',
      {
        oneOf: [
          object({ kind: { const: 'a' }, x: { type: 'string' } }, { required: ['kind', 'x'] }),
          object({ kind: { const: 1 }, y: { type: 'string' } }, { required: ['kind'] }),
        ],
      },
      [' : object', ' /kind: string|integer', ' /x: string?', ' /y: string?'],
    ],
    [
      'a value that may be null',
      object({ a: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] } }),
      [' : object', ' /a: string|null?'],
    ],
    [
      'parts that all hold',
      { allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { enum: [1, 2] } })] },
      [' : object', ' /a: string', ' /b: integer?'],
    ],
    [
      'conditions',
      conditional(object({ b: { type: 'string' } }, { required: ['b'] })),
      [' : object', ' /a: any?', ' /b: string?'],
    ],
    [
      'lists in lists',
      { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      [' : array', '[] : array?', '[] [] : number?'],
    ],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      [' : array', '[] : string|number?'],
    ],
    [
      'maps',
      object({ prices: { type: 'object', additionalProperties: object({ amount: { type: 'number' } }) } }),
      [' : object', ' /prices: object?', '/prices[] : object?', '/prices[] /amount: number?'],
    ],
    [
      'a schema that comes back to itself',
      object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } }),
      [' : object', ' /name: string?', ' /children: array?', '/children[] : object?+'],
    ],
    [
      'a reference written out',
      object({ file: object({ $resource: { type: 'string' } }) }),
      [' : object', ' /file: resource?'],
    ],
  ])('follow %s', (_, schema, expected) => {
    expect(lines(schema)).toEqual(expected);
  });

  it('are bounded, and say where there is more', () => {
    const deep = Array.from({ length: 30 }).reduce<JsonValue>((inner) => object({ in: inner }), { type: 'string' });
    expect(lines(deep).at(-1)).toBe(` ${'/in'.repeat(8)}: object?+`);
    const fields = (count: number, schema: JsonValue) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, schema])));
    for (const wide of [fields(5_000, true), fields(3_000, object({ a: true })), fields(50, fields(50, true))]) {
      const ports = schemaPorts(wide);
      expect(ports).toHaveLength(1_000);
      expect(ports[0]).toMatchObject({ pointer: '', more: true });
    }
    expect(schemaPorts(fields(999, true))).toHaveLength(1_000);
    expect(schemaPorts(fields(999, true)).some(({ more }) => more)).toBe(false);
    expect(schemaPorts({ type: 'array', items: fields(5_000, true) }).map(({ more }) => more)).toEqual([
      false,
      true,
      ...Array.from({ length: 998 }, () => false),
    ]);
  });

  it('look for the names of places once, however many references there are', () => {
    let visits = 0;
    const watched = new Proxy<Record<string, JsonValue>>(
      { type: 'object' },
      {
        ownKeys: (target) => {
          visits += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, { $ref: '#named' }]));
    const ports = schemaPorts(object(properties, { $defs: { watched, named: { $anchor: 'named', type: 'number' } } }));
    expect(ports.filter(({ type }) => type === 'number')).toHaveLength(500);
    expect(visits).toBe(1);
  });
});
