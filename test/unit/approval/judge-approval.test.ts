import { describe, expect, it } from 'vitest';
import { judgeApproval, type JudgedCall } from '../../../src/approval/judge-approval.ts';
import { readApprovalRules } from '../../../src/approval/read-approval-rules.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { KeyRole } from '../../../src/protocol/api-keys.ts';

const rulesOf = (...rules: object[]) => {
  const read = readApprovalRules(JSON.stringify({ version: 1, rules }), DEFAULT_LIMITS);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.rules;
};

const judge = (rules: object[], changes: Partial<JudgedCall> = {}) =>
  judgeApproval(
    {
      toolName: 'Files',
      command: 'Delete',
      owner: 'key_ann',
      roles: new Set<KeyRole>(['human']),
      source: 'human',
      origin: null,
      byManifest: false,
      byCaller: false,
      ...changes,
    },
    rulesOf(...rules),
  );

const FREE = { kind: 'free' };
const askedBy = (by: string, reason: string | null = null) => ({ kind: 'ask', requiredBy: { by, reason } });

describe('whether a call needs approval', () => {
  it('is for manifest and caller to say where there are no rules', () => {
    expect(judge([])).toEqual(FREE);
    expect(judge([], { byManifest: true })).toEqual(askedBy('manifest'));
    expect(judge([], { byCaller: true })).toEqual(askedBy('caller'));
  });

  it.each([['*'], ['Files'], ['Files:Delete']])('is decided by a rule for %s', (pattern) => {
    expect(judge([{ tools: ['Other', pattern], effect: 'require', reason: 'it deletes' }])).toEqual(
      askedBy('rule', 'it deletes'),
    );
  });

  it.each([['File'], ['files'], ['Files:Read'], ['Other:Delete']])(
    'has nothing to do with a rule for %s',
    (pattern) => {
      expect(judge([{ tools: [pattern], effect: 'require' }])).toEqual(FREE);
    },
  );

  it.each([['reject'], ['require']])(
    'is under a rule that says %s to models also where a model had it scheduled',
    (effect) => {
      const rule = { tools: ['*'], sources: ['ai-loop', 'mcp'], effect };
      expect(judge([rule], { source: 'scheduler', origin: 'ai-loop' }).kind).toBe(
        effect === 'reject' ? 'reject' : 'ask',
      );
      expect(judge([rule], { source: 'scheduler', origin: 'human' })).toEqual(FREE);
    },
  );

  it('is let through for the way it came itself, not for the way its schedule was made', () => {
    const lenient = { tools: ['*'], sources: ['human'], effect: 'allow', overrideManifest: true };
    const call = { source: 'scheduler', origin: 'human', byManifest: true } as const;
    expect(judge([lenient], call)).toEqual(askedBy('manifest'));
    expect(judge([{ ...lenient, sources: ['scheduler'] }], call)).toEqual(FREE);
  });

  it('goes by the first rule that fits', () => {
    const some = { tools: ['Files:Delete'], keys: ['key_ann'], effect: 'allow' };
    const all = { tools: ['*'], effect: 'require' };
    expect(judge([some, all])).toEqual(FREE);
    expect(judge([some, all], { owner: 'key_bob' })).toEqual(askedBy('rule'));
    expect(judge([all, some])).toEqual(askedBy('rule'));
  });

  it('is not lifted by a rule where the manifest asks, unless the rule says that it overrides it', () => {
    expect(judge([{ tools: ['*'], effect: 'allow' }], { byManifest: true })).toEqual(askedBy('manifest'));
    expect(judge([{ tools: ['*'], effect: 'allow', overrideManifest: true }], { byManifest: true })).toEqual(FREE);
  });

  it('is never lifted where the caller itself asks', () => {
    expect(judge([{ tools: ['*'], effect: 'allow', overrideManifest: true }], { byCaller: true })).toEqual(
      askedBy('caller'),
    );
  });

  it('is no question where a rule rejects, with its reason', () => {
    const rule = { tools: ['Files'], effect: 'reject', reason: 'not from here', sources: ['human', 'mcp'] };
    expect(judge([rule], { byManifest: true })).toEqual({ kind: 'reject', reason: 'not from here' });
    expect(judge([rule], { source: 'workflow' })).toEqual(FREE);
  });

  it('goes by the roles of the caller, and where they are not known the strict way', () => {
    const roles = ['ai', 'workflow'];
    const strict = { tools: ['*'], roles, effect: 'require' };
    const lenient = { tools: ['*'], roles, effect: 'allow', overrideManifest: true };
    expect(judge([strict])).toEqual(FREE);
    expect(judge([strict], { roles: new Set(['ai']) })).toEqual(askedBy('rule'));
    expect(judge([strict], { roles: null })).toEqual(askedBy('rule'));
    expect(judge([lenient], { roles: new Set(['workflow']), byManifest: true })).toEqual(FREE);
    expect(judge([lenient], { roles: null, byManifest: true })).toEqual(askedBy('manifest'));
    expect(judge([{ ...strict, effect: 'reject' }], { roles: null })).toEqual({ kind: 'reject', reason: null });
  });
});

describe('a file of rules', () => {
  const issuesOf = (text: string) => {
    const read = readApprovalRules(text, DEFAULT_LIMITS);
    return read.ok ? [] : read.issues;
  };
  const pointersOf = (...rules: unknown[]) =>
    issuesOf(JSON.stringify({ version: 1, rules })).map(({ pointer }) => pointer);

  it('may have no rules, and a $schema', () => {
    expect(issuesOf('{"$schema":"urn:vcp:schema:1.0:approval-rules","version":1,"rules":[]}')).toEqual([]);
  });

  it('tells where it is wrong', () => {
    expect(issuesOf('{"version":1,"rules":[}')).toMatchObject([
      { pointer: '', message: expect.stringContaining('is not JSON') },
    ]);
    expect(issuesOf('{"version":2,"rules":[]}')).toEqual([{ pointer: '/version', message: 'must be 1' }]);
    expect(pointersOf({ tools: ['*'], effect: 'ask' })).toEqual(['/rules/0/effect']);
    expect(pointersOf({ tools: ['*'], effect: 'allow' }, { tools: [], effect: 'allow' })).toEqual(['/rules/1/tools']);
    expect(pointersOf({ tools: ['a b', 'Tool:', '*:Run'], effect: 'allow' })).toEqual([
      '/rules/0/tools/0',
      '/rules/0/tools/1',
      '/rules/0/tools/2',
    ]);
    expect(pointersOf({ tools: ['*'], roles: ['boss'], effect: 'allow' })).toEqual(['/rules/0/roles/0']);
    expect(pointersOf({ tools: ['*'], sources: ['mail'], effect: 'allow' })).toEqual(['/rules/0/sources/0']);
    expect(pointersOf({ tools: ['*'], keys: [], effect: 'allow' })).toEqual(['/rules/0/keys']);
    expect(pointersOf({ tools: ['*'], effect: 'require', overrideManifest: true })).toEqual([
      '/rules/0/overrideManifest',
    ]);
    expect(pointersOf({ tool: '*', effect: 'require' })).toContain('/rules/0/tools');
  });

  it('takes names in any script', () => {
    expect(pointersOf({ tools: ['日程:添加', 'A.b-c:D_1'], effect: 'require' })).toEqual([]);
  });
});
