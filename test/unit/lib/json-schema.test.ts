import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileJsonSchema } from '../../../src/lib/json-schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

const issuesFor = (schema: unknown, value: unknown) => {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.validator.validate(value);
};

const refusal = (schema: unknown) => {
  const compiled = compileJsonSchema(schema);
  return compiled.ok ? null : compiled.issues;
};

describe('a compiled schema', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
    additionalProperties: false,
  };

  it('has no issues with a value that fits', () => {
    expect(issuesFor(person, { name: 'Nova', age: 3 })).toEqual([]);
  });

  it('points at everything that does not', () => {
    const issues = issuesFor(person, { age: -1, extra: true });
    expect(issues.map((issue) => issue.pointer).toSorted()).toEqual(['/age', '/extra', '/name']);
    expect(issues.find((issue) => issue.pointer === '/name')).toEqual({
      pointer: '/name',
      message: 'is required',
      code: 'required',
    });
  });

  it('is 2020-12 unless it says otherwise', () => {
    const tuple = { prefixItems: [{ type: 'string' }], items: false };
    expect([issuesFor(tuple, ['a']).length, issuesFor(tuple, ['a', 1]).length > 0]).toEqual([0, true]);
    expect(issuesFor({ dependentRequired: { a: ['b'] } }, { a: 1 })).not.toEqual([]);
    expect(issuesFor({ unevaluatedProperties: false, properties: { a: true } }, { b: 1 })).not.toEqual([]);
  });

  it('may be draft-07', () => {
    const tuple = { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false };
    expect([
      issuesFor(tuple, ['a']).length,
      issuesFor(tuple, ['a', 1]).length > 0,
      issuesFor(tuple, [5]).length > 0,
    ]).toEqual([0, true, true]);
    expect(
      issuesFor({ $schema: DRAFT_07, definitions: { n: { type: 'number' } }, $ref: '#/definitions/n' }, 'x'),
    ).not.toEqual([]);
  });

  it.each([
    ['true', true, 0],
    ['false', false, 1],
  ])('may be %s', (_, schema, count) => {
    expect(issuesFor(schema, { any: 'thing' })).toHaveLength(count);
  });

  it('takes format as an annotation', () => {
    expect(issuesFor({ type: 'string', format: 'date-time' }, 'tomorrow')).toEqual([]);
    expect(issuesFor({ type: 'string', format: 'no-such-format' }, 'x')).toEqual([]);
  });

  it('knows our resource reference', () => {
    const schema = { type: 'object', properties: { image: { $ref: 'urn:vcp:schema:1.0:resource-reference' } } };
    expect(issuesFor(schema, { image: { $resource: 'res_1' } })).toEqual([]);
    expect(issuesFor(schema, { image: { url: 'x' } }).map((issue) => issue.pointer)).toContain('/image/$resource');
  });

  it('may refer to itself where values end', () => {
    const tree = {
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['value'],
    };
    expect(issuesFor(tree, { value: 1, children: [{ value: 2, children: [] }] })).toEqual([]);
    expect(
      issuesFor(tree, { value: 1, children: [{ value: 2, children: [{}] }] }).map((issue) => issue.pointer),
    ).toEqual(['/children/0/children/0/value']);
  });

  it('does not repeat a large value in its messages', () => {
    const [issue] = issuesFor({ enum: ['a'] }, 'x'.repeat(10_000));
    expect(issue?.message.length).toBeLessThanOrEqual(301);
  });

  it('treats inherited names as absent', () => {
    expect(
      issuesFor({ type: 'object', required: ['constructor', 'toString'] }, {})
        .map((issue) => issue.pointer)
        .toSorted(),
    ).toEqual(['/constructor', '/toString']);
  });
});

describe('a schema that cannot be used', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each<[string, unknown, string]>([
    ['an unknown type', { type: 'strin' }, '/type'],
    ['a bound that is text', { properties: { a: { minimum: 'x' } } }, '/properties/a/minimum'],
    ['names that are no list', { required: 'a' }, '/required'],
    ['items that are a number', { items: 3 }, '/items'],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, '/$schema'],
    ['a draft that is no text', { $schema: 5 }, '/$schema'],
    ['a value that JSON cannot carry', { default: Number.NaN }, '/default'],
    ['a date in it', { const: new Date(0) }, '/const'],
    ['a pattern that does not parse', { pattern: '[' }, '/pattern'],
    ['a way to keep texts that is none', { properties: { a: { 'x-inline': true } } }, '/properties/a/x-inline'],
    ['a dangling reference', { properties: { a: { $ref: '#/$defs/missing' } } }, '/properties/a/$ref'],
  ])('names its fault: %s', (_, schema, pointer) => {
    expect(refusal(schema)?.map((issue) => issue.pointer)).toEqual([pointer]);
  });

  it.each([null, 5, 'object', []])('may be %j', (schema) => {
    expect(refusal(schema)).toEqual([{ pointer: '', message: 'must be an object or a boolean' }]);
  });

  it.each<[unknown, string]>([
    [{ $ref: 'https://example.com/a.json' }, '/$ref'],
    [{ properties: { a: { $ref: 'https://example.com/a.json#/b' } } }, '/properties/a/$ref'],
    [{ $defs: { a: { items: { $ref: 'other.json' } } } }, '/$defs/a/items/$ref'],
    [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, '/properties/a/$ref'],
    [{ properties: { a: { $ref: 'urn:vcp:schema:1.0:task' } } }, '/properties/a/$ref'],
  ])('refers to what is elsewhere: %j; nothing is fetched', (schema, pointer) => {
    const fetched = vi.fn();
    vi.stubGlobal('fetch', fetched);
    const issues = refusal(schema);
    expect(issues?.map((issue) => issue.pointer)).toEqual([pointer]);
    expect(issues?.[0]?.message).toMatch(/not part of this schema; nothing is fetched$/);
    expect(fetched).not.toHaveBeenCalled();
  });

  it('is not one that refers to its own $id', () => {
    const schema = {
      $id: 'https://example.com/a.json',
      $defs: { n: { $id: 'n.json', type: 'number' } },
      properties: { a: { $ref: 'https://example.com/a.json#/$defs/n' }, b: { $ref: 'n.json' } },
    };
    expect(refusal(schema)).toBeNull();
    expect(issuesFor(schema, { a: 'x', b: 'x' })).toHaveLength(2);
  });

  it('has references that never end', () => {
    expect(refusal({ $ref: '#' })?.map((issue) => issue.message)).toEqual(['has references that never end']);
  });

  it('fails the value, not the process, when the endless reference is behind a property', () => {
    const schema = {
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      properties: { x: { $ref: '#/$defs/a' } },
    };
    const compiled = compileJsonSchema(schema);
    const issues = compiled.ok ? compiled.validator.validate({ x: 1 }) : compiled.issues;
    expect(issues.map((issue) => issue.message)).toEqual(['has references that never end']);
  });

  it('tries one value against too many subschemas', () => {
    const $defs: Record<string, unknown> = { d30: { type: 'string' } };
    for (let n = 0; n < 30; n += 1) {
      const next = { $ref: `#/$defs/d${n + 1}` };
      $defs[`d${n}`] = { allOf: [next, next] };
    }
    const started = performance.now();
    const message = 'tries one value against more than 2000 subschemas';
    expect(refusal({ $defs, $ref: '#/$defs/d0' })?.map((issue) => issue.message)).toEqual([message]);
    expect(refusal({ $defs, properties: { a: { $ref: '#/$defs/d0' } } })?.map((issue) => issue.message)).toEqual([
      message,
    ]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each<[string, Record<string, unknown>]>([
    ['const', { const: { pattern: '(a+)+$' }, properties: { a: { $ref: '#/const' } } }],
    ['const, in disguise', { const: { pattern: '(a+)+$' }, properties: { a: { $ref: '#/%63onst' } } }],
    ['examples', { examples: [{ pattern: '(a+)+$' }], properties: { a: { $ref: '#/examples/0' } } }],
    ['enum', { enum: [{ pattern: '(a+)+$' }], properties: { a: { $ref: '#/enum/0' } } }],
    ['a default', { $defs: { x: { default: {} } }, properties: { a: { $ref: '#/$defs/x/default' } } }],
  ])('refers into a value that is no schema: %s', (_, schema) => {
    expect(refusal(schema)).toEqual([{ pointer: '/properties/a/$ref', message: 'refers to a value, not to a schema' }]);
  });

  it('is not one whose properties are called as keywords are', () => {
    const schema = {
      properties: {
        const: { type: 'string' },
        enum: true,
        default: true,
        examples: true,
        'x-inline': { type: 'string' },
        b: { $ref: '#/properties/const' },
      },
      additionalProperties: false,
    };
    expect(refusal(schema)).toBeNull();
    expect(issuesFor(schema, { const: 'a', b: 'b' })).toEqual([]);
    expect(issuesFor(schema, { const: 1, b: 2 }).map((issue) => issue.pointer)).toEqual(['/const', '/b']);
  });

  it('is nested too deep to compile', () => {
    let schema: unknown = true;
    for (let level = 0; level < 1_000; level += 1) schema = { not: schema };
    expect(refusal(schema)?.[0]?.message).toMatch(/^is nested deeper than 48 levels/);
  });
});

describe('patterns that backtrack without bound', () => {
  it.each(['(a+)+$', '^(a|a)*$', '(.*)*x', '([a-z]+)*!'])('are refused: %s', (pattern) => {
    expect(refusal({ pattern })?.map((issue) => issue.pointer)).toEqual(['/pattern']);
    expect(refusal({ properties: { deep: { items: { pattern } } } })?.map((issue) => issue.pointer)).toEqual([
      '/properties/deep/items/pattern',
    ]);
    expect(refusal({ patternProperties: { [pattern]: true } })).toHaveLength(1);
    expect(refusal({ $defs: { a: { pattern } } })).toHaveLength(1);
    expect(refusal({ properties: { pattern: { pattern } } })?.map((issue) => issue.pointer)).toEqual([
      '/properties/pattern/pattern',
    ]);
  });

  it.each(['^[a-z]+$', '^\\d{4}-\\d{2}-\\d{2}$', '^(foo|bar)$', '^\\p{L}{1,64}$', ''])('are not like %s', (pattern) => {
    expect(refusal({ pattern, patternProperties: { [pattern]: true } })).toBeNull();
  });

  it('are found under names that are keywords elsewhere, and in the dependencies of draft-07', () => {
    const pattern = '(a+)+$';
    expect(refusal({ properties: { const: { pattern } } })).toHaveLength(1);
    for (const name of ['a', 'const', 'default'])
      expect(refusal({ $schema: DRAFT_07, dependencies: { [name]: { items: { pattern } } } })).toHaveLength(1);
  });

  it('are not sought where no pattern stands', () => {
    const schema = {
      properties: { pattern: { type: 'string' }, patternProperties: { type: 'object' }, $ref: { type: 'string' } },
      enum: [{ pattern: '(a+)+$' }],
      default: { pattern: '(a+)+$', $ref: 'https://example.com/x' },
      examples: [{ pattern: '(a+)+$' }],
      const: { pattern: '(a+)+$' },
    };
    expect(refusal(schema)).toBeNull();
  });
});
