import { describe, expect, it } from 'vitest';
import { applyPolicy, isRedacted } from '../../../src/policy/apply-policy.ts';
import { classify } from '../../../src/policy/classify.ts';
import { deepFreeze } from '../../../src/lib/deep-freeze.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { canonicalResult, descriptor, TOOL_ERROR } from '../../support/sample-values.ts';

const viewer = (...roles: string[]) => ({ roles: new Set(roles) });
const sealed = (fields: Record<string, unknown>) => deepFreeze(CanonicalToolResult.parse(canonicalResult(fields)));

describe('who sees redacted views', () => {
  it.each([
    ['ai', 'admin', true],
    ['audit', 'operator', true],
    ['canonical', 'human', true],
    ['workflow', 'workflow', true],
    ['bridge', 'bridge', true],
    ['canonical', 'admin', false],
    ['workflow', 'operator', false],
    ['bridge', 'admin', false],
  ] as const)('the %s view for %s: %s', (view, role, redacted) => {
    expect(isRedacted({ view, viewer: viewer(role) })).toBe(redacted);
  });
});

describe('a redacted result', () => {
  const result = sealed({
    status: 'error',
    data: { file: '/etc/passwd' },
    error: { ...TOOL_ERROR, message: 'cannot read /home/nova/x', details: { password: 'p' } },
    warnings: [{ code: 'A', message: 'see /tmp/a/b', target: null, details: null }],
    resources: [descriptor({ metadata: { apiKey: 'k' } }), descriptor()],
    presentation: { summary: 'in /root/x', preferredView: null, title: null, primaryResourceId: null },
    extensions: { 'a.b': { token: 'a1B2c3D4' } },
    origin: { source: 'human', nodeId: null, serverId: 'local', distributed: false, requestIp: '10.0.0.5' },
  });
  const visible = applyPolicy(result, { view: 'ai', viewer: viewer('ai'), knownPaths: [] });

  it('names every place and reason, never what stood there', () => {
    expect(visible.policy.redactionsApplied).toEqual([
      { pointer: '/data/file', reason: 'local path' },
      { pointer: '/error/message', reason: 'local path' },
      { pointer: '/error/details/password', reason: 'secret' },
      { pointer: '/warnings/0/message', reason: 'local path' },
      { pointer: '/presentation/summary', reason: 'local path' },
      { pointer: '/extensions/a.b/token', reason: 'secret' },
      { pointer: '/resources/0/metadata/apiKey', reason: 'secret' },
      { pointer: '/origin/requestIp', reason: 'address' },
    ]);
    expect(JSON.stringify(visible)).not.toMatch(/passwd|nova|10\.0\.0\.5/);
  });

  it('is still a canonical result', () => {
    expect(CanonicalToolResult.safeParse(visible).success).toBe(true);
    expect(visible.resources[1]).toBe(result.resources[1]);
  });

  it('leaves the stored one alone', () => {
    expect(result.data).toEqual({ file: '/etc/passwd' });
    expect(result.policy.redactionsApplied).toEqual([]);
  });

  it('is the stored one when there is nothing to hide, or the viewer may see all', () => {
    const clean = sealed({ data: { a: 1 } });
    expect(applyPolicy(clean, { view: 'ai', viewer: viewer(), knownPaths: [] })).toBe(clean);
    expect(applyPolicy(result, { view: 'canonical', viewer: viewer('admin'), knownPaths: [] })).toBe(result);
  });

  it('keeps the pointer that tells where a result does not fit', () => {
    const misfit = sealed({
      status: 'error',
      data: null,
      error: {
        ...TOOL_ERROR,
        code: 'INVALID_TOOL_RESULT',
        message: 'no fit: /data/total: is required',
        target: 'data.total',
        details: { pointer: '/data/total' },
      },
    });
    expect(applyPolicy(misfit, { view: 'ai', viewer: viewer(), knownPaths: [] })).toBe(misfit);
  });
});

describe('the classification of a result', () => {
  const parts = {
    data: null,
    resources: [],
    error: null,
    warnings: [],
    presentation: null,
    aiAdvice: null,
    extensions: {},
    task: null,
    tool: { name: 'Sample', displayName: null, version: null, command: null },
    actor: null,
  };

  it('is internal when there is nothing to hide', () => {
    expect(classify({ ...parts, data: { a: 'b' } }, [])).toEqual({
      classification: 'internal',
      containsSensitiveData: false,
      redactionsApplied: [],
    });
  });

  it.each([
    { data: [[{ password: 'p' }]] },
    { error: { message: 'in /etc/x' } },
    { warnings: [{ message: 'Authorization: Bearer x' }] },
    { extensions: { 'a.b': { token: 'a1B2c3D4' } } },
    { tool: { name: 'see /etc/x', displayName: null, version: null, command: null } },
  ])('is confidential for %j', (more) => {
    expect(classify({ ...parts, ...more } as unknown as Parameters<typeof classify>[0], [])).toEqual({
      classification: 'confidential',
      containsSensitiveData: true,
      redactionsApplied: [],
    });
  });
});
