import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues, issuesOf } from '../../../src/lib/issue.ts';
import { failureOfIssues } from '../../../src/lib/failure.ts';

const issues = (schema: z.ZodType, value: unknown) => {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error);
};

describe('issues', () => {
  it('name unknown fields one by one', () => {
    expect(issues(z.strictObject({ a: z.number() }), { a: 1, b: 2, 'c/d': 3 })).toEqual([
      { pointer: '/b', message: 'unknown field "b"', code: 'unknown-field' },
      { pointer: '/c~1d', message: 'unknown field "c/d"', code: 'unknown-field' },
    ]);
  });

  it('tell of the branch of a union that got furthest', () => {
    const schema = z.strictObject({
      value: z.union([z.number(), z.strictObject({ deep: z.strictObject({ name: z.string() }) })]),
    });
    expect(issues(schema, { value: { deep: { name: 5 } } }).map((issue) => issue.pointer)).toEqual([
      '/value/deep/name',
    ]);
  });

  it('say what a discriminated union expects', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b') }),
    ]);
    expect(issues(schema, { kind: 'c' }).map((issue) => issue.pointer)).toEqual(['/kind']);
  });

  it('are empty for a value that fits', () => {
    expect(issues(z.string(), 'a')).toEqual([]);
  });

  it('read as one line, the rest counted', () => {
    const many = [1, 2, 3, 4, 5].map((n) => ({ pointer: `/${n}`, message: 'is wrong' }));
    expect(describeIssues(many)).toBe('/1: is wrong; /2: is wrong; /3: is wrong; and 2 more');
    expect(describeIssues([{ pointer: '', message: 'is wrong' }])).toBe('(root): is wrong');
  });
});

describe('a failure of issues', () => {
  it('points at the first and lists as many as it may', () => {
    const many = [1, 2, 3].map((n) => ({ pointer: `/a/${n}`, message: 'is wrong' }));
    expect(failureOfIssues('INVALID_ARGUMENT', 'no good', many, 2, { details: { more: true } })).toEqual({
      code: 'INVALID_ARGUMENT',
      message: 'no good: /a/1: is wrong; /a/2: is wrong; /a/3: is wrong',
      target: 'a.1',
      details: {
        pointer: '/a/1',
        issues: [
          { pointer: '/a/1', message: 'is wrong' },
          { pointer: '/a/2', message: 'is wrong' },
        ],
        issueCount: 3,
        more: true,
      },
    });
  });

  it('has no target when the whole is at fault', () => {
    expect(failureOfIssues('INVALID_ARGUMENT', 'no good', [{ pointer: '', message: 'm' }], 2).target).toBeNull();
  });
});
