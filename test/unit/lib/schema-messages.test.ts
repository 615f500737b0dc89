import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../../src/lib/json-schema.ts';
import { project } from '../../../src/runtime/project.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const SECRET = 'Zq7Wm2Xk9Lp4';

const issuesFor = (schema: unknown, value: unknown) => {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.validator.validate(value);
};

describe('a message about a value', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ pattern: '^[0-9]+$' }, 'must match the pattern "^[0-9]+$"'],
    [{ pattern: '^[0-9]+$', description: ' Digits only.\n' }, 'must match the pattern "^[0-9]+$" (Digits only.)'],
    [{ pattern: '^[0-9]+$', description: '' }, 'must match the pattern "^[0-9]+$"'],
    [{ pattern: '^a', description: 'd'.repeat(900) }, `must match the pattern "^a" (${'d'.repeat(200)}…)`],
    [{ enum: ['a', 'b'] }, 'must be one of ["a","b"]'],
    [{ const: 'c' }, 'must be "c"'],
    [{ type: 'number' }, 'must be of type number, not string'],
    [{ type: ['number', 'null'] }, 'must be of type number or null, not string'],
    [{ minLength: 30 }, 'must have at least 30 characters'],
    [{ maxLength: 3 }, 'must have at most 3 characters'],
    [{ not: { type: 'string' } }, 'fits the schema that it must not fit'],
    [{ oneOf: [{ type: 'number' }, { type: 'null' }] }, 'must fit one schema of oneOf'],
    [{ anyOf: [{ type: 'number' }, { const: 1 }] }, 'must fit at least one schema of anyOf'],
    [{ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'fits more than one schema of oneOf'],
  ])('says what the schema %j asks for, never what was given', (schema, message) => {
    const issues = issuesFor({ type: 'object', properties: { password: schema } }, { password: SECRET });
    expect(issues.map((issue) => [issue.pointer, issue.message])).toEqual([['/password', message]]);
  });

  it.each([
    [null, 'null'],
    ['1', 'string'],
    [true, 'boolean'],
    [[1], 'array'],
    [{}, 'object'],
    [1.5, 'number'],
  ])('names the type of %j, which it is not asked for', (value, received) => {
    expect(issuesFor({ type: 'integer' }, value)).toMatchObject([
      { message: `must be of type integer, not ${received}` },
    ]);
  });

  it.each<[Record<string, unknown>, unknown]>([
    [{ uniqueItems: true }, [SECRET, SECRET]],
    [{ items: { type: 'number' } }, [SECRET]],
    [{ contains: { type: 'number' } }, [SECRET]],
    [{ contains: { type: 'string' }, maxContains: 1 }, [SECRET, `${SECRET}2`]],
    [{ maxItems: 1 }, [SECRET, SECRET]],
    [{ minProperties: 2 }, { password: SECRET }],
    [{ dependentRequired: { password: ['user'] } }, { password: SECRET }],
    [{ additionalProperties: { type: 'number' } }, { password: SECRET }],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, SECRET],
    [{ multipleOf: 2 }, 71_727_374_757],
    [{ maximum: 1 }, 71_727_374_757],
  ])('of the schema %j does not quote it either', (schema, value) => {
    const issues = issuesFor(schema, value);
    expect(issues.length).toBeGreaterThan(0);
    expect(JSON.stringify(issues)).not.toMatch(/Zq7Wm2Xk9Lp4|71727374757/);
  });

  it('names its place by keys as they are, whatever is in them', () => {
    const pointers = (schema: unknown, value: unknown) => issuesFor(schema, value).map(({ pointer }) => pointer);
    expect(pointers({ additionalProperties: false }, { 'a~b': 1, 'a/b': 1, '~1': 1, '': 1, c: 1 })).toEqual([
      '/a~0b',
      '/a~1b',
      '/~01',
      '/',
      '/c',
    ]);
    const deep = { additionalProperties: { items: { required: ['x/~'] } } };
    expect(pointers(deep, { 'p~/q': [{ 'x/~': 1 }, {}] })).toEqual(['/p~0~1q/1/x~1~0']);
    expect(pointers({ properties: { a: { properties: { b: false } }, 'a/b': false } }, { a: { b: 1 } })).toEqual([
      '/a/b',
    ]);
  });

  it('is found in linear time, also for keys of nothing but slashes', () => {
    const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`${'/'.repeat(1_000)}${n}`, 1]));
    const started = performance.now();
    expect(issuesFor({ additionalProperties: false }, value)).toHaveLength(2_000);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('a mistyped secret', () => {
  const schema = { type: 'object', properties: { password: { type: 'string', pattern: '^[0-9]+$' } } };
  const VIEWS: readonly ResultView[] = ['canonical', 'workflow', 'ai', 'bridge', 'audit'];

  it.each([
    ['an argument', { inputSchema: schema }, { password: SECRET }, 'INVALID_ARGUMENT'],
    ['data', { outputSchema: schema }, {}, 'INVALID_TOOL_RESULT'],
  ])('in %s is in no view, no record and no log', async (_, command, args, code) => {
    const parts = createMemoryRuntime({
      manifests: [manifest({}, command)],
      answer: () => success({ password: SECRET }),
    });
    const result = await callSample(parts, args);
    expect(result.error).toMatchObject({ code, message: expect.stringContaining('must match the pattern') as unknown });
    for (const view of VIEWS)
      for (const role of ['human', 'admin']) {
        const context = { viewer: { roles: new Set([role]) }, knownPaths: [], limits: parts.limits };
        expect(JSON.stringify(project(result, view, context))).not.toContain(SECRET);
      }
    expect(JSON.stringify(await parts.calls.getRecord(result.execution.recordId ?? ''))).not.toContain(SECRET);
    expect(JSON.stringify(parts.logged)).not.toContain(SECRET);
  });
});

describe('items that must be unique', () => {
  const repeated = (items: unknown[], schema: Record<string, unknown> = {}) =>
    issuesFor({ uniqueItems: true, ...schema }, items).map(({ pointer, message }) => [pointer, message]);

  it.each<[string, unknown[]]>([
    [
      'objects in another order',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ['the same number', [1, 1.0]],
    [
      'lists',
      [
        [1, { x: [] }],
        [1, { x: [] }],
      ],
    ],
    ['text', ['é', 'é']],
  ])('are not: %s', (_, items) => {
    expect(repeated(items)).toEqual([['/1', 'repeats item 0']]);
    expect(repeated(items, { $schema: 'http://json-schema.org/draft-07/schema#' })).toHaveLength(1);
  });

  it('are not when far apart', () => {
    expect(repeated(['x', 1, 2, 3, 'x'])).toEqual([['/4', 'repeats item 0']]);
  });

  it.each<[string, unknown[]]>([
    ['one in three types', [1, '1', true]],
    ['nothing in five', [null, 'null', false, 0, '']],
    ['empty containers', [[], {}, '[]', '{}']],
    [
      'lists in another order',
      [
        [1, 2],
        [2, 1],
      ],
    ],
  ])('are: %s', (_, items) => {
    expect(repeated(items)).toEqual([]);
  });

  it('need not be when the schema says so', () => {
    expect(repeated([1, 1], { uniqueItems: false })).toEqual([]);
  });

  it('are compared in linear time', () => {
    const started = performance.now();
    expect(repeated(Array.from({ length: 100_000 }, (_, n) => ({ n })))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
