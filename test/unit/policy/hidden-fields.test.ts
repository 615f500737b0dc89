import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { classify } from '../../../src/policy/classify.ts';
import { redactText } from '../../../src/policy/sensitive-text.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import { project } from '../../../src/runtime/project.ts';
import { canonicalResult, descriptor, TOOL_ERROR } from '../../support/sample-values.ts';

const shown = (fields: Record<string, unknown>, view: ResultView, role: string): string =>
  JSON.stringify(
    project(CanonicalToolResult.parse(canonicalResult(fields)), view, {
      viewer: { roles: new Set([role]) },
      knownPaths: [],
      limits: DEFAULT_LIMITS,
    }),
  );

describe('what a process said on stderr', () => {
  const failed = (fields: Record<string, unknown>) => ({
    status: 'error',
    data: null,
    error: { ...TOOL_ERROR, details: { exitCode: 1, stderr: 'Traceback of somebody' }, ...fields },
  });
  const ofCore = failed({ code: 'TRANSPORT_FAILURE', category: 'transport' });

  it.each<[ResultView, string, boolean]>([
    ['ai', 'ai', false],
    ['ai', 'admin', false],
    ['audit', 'admin', false],
    ['canonical', 'human', false],
    ['workflow', 'workflow', false],
    ['bridge', 'bridge', false],
    ['canonical', 'admin', true],
  ])('is in the %s view for %s: %s', (view, role, visible) => {
    const text = shown(ofCore, view, role);
    expect(text.includes('Traceback of somebody')).toBe(visible);
    expect(text).toContain('exitCode');
  });

  it('is listed as hidden where it is', () => {
    for (const view of ['ai', 'audit', 'canonical', 'bridge'] as const)
      expect(shown(ofCore, view, 'human')).toContain('{"pointer":"/error/details/stderr","reason":"stderr"}');
  });

  it('is hidden for every category that the core gives', () => {
    for (const category of ['transport', 'protocol', 'runtime'])
      expect(shown(failed({ code: 'INTERNAL_ERROR', category }), 'ai', 'ai')).not.toContain('Traceback');
    for (const status of ['timeout', 'cancelled'])
      expect(shown({ ...failed({ category: status }), status }, 'canonical', 'human')).not.toContain('Traceback');
  });

  it('is a plugin’s own word in an error of its own, and stays', () => {
    expect(shown(failed({ code: 'TEST.COMPILER', category: 'domain' }), 'ai', 'ai')).toContain('Traceback of somebody');
  });
});

describe('the plugin’s words in a resource', () => {
  const key = `sk-${'a1B2'.repeat(8)}`;
  const external = {
    access: { type: 'external', expiresAt: null, requiresAuth: false },
    sizeBytes: null,
    sha256: null,
  };
  const cases: Record<string, Record<string, unknown>> = {
    'an external URL': { ...external, url: 'https://files.example/a?token=abc12345def&page=2' },
    'a file name': { fileName: `${key}.txt` },
    'a provider': { source: { type: 'external', provider: 'abc12345def.corp.internal' } },
    'a metadata field': { metadata: { apiKey: 'abc12345def' } },
    'metadata further down': { metadata: { request: { headers: ['Authorization: Bearer abc12345def'] } } },
  };

  it.each(Object.entries(cases))('are redacted: %s', (_, fields) => {
    for (const view of ['ai', 'audit', 'canonical', 'workflow', 'bridge'] as const)
      expect(shown({ resources: [descriptor(fields)] }, view, 'human')).not.toMatch(/abc12345def|a1B2a1B2/);
    expect(shown({ resources: [descriptor(fields)] }, 'canonical', 'admin')).toMatch(/abc12345def|a1B2a1B2/);
  });

  it.each(Object.entries(cases))('make a result confidential: %s', (_, fields) => {
    const result = CanonicalToolResult.parse(canonicalResult({ resources: [descriptor(fields)] }));
    expect(classify(result, [])).toMatchObject({
      classification: 'confidential',
      containsSensitiveData: true,
    });
  });

  it('are not the URL that the server made itself', () => {
    const url = 'https://vcp.example/v1/resources/x/a.png?token=abc12345def';
    expect(shown({ resources: [descriptor({ url })] }, 'canonical', 'human')).toContain('abc12345def');
  });
});

describe('a known directory', () => {
  it.each<[string, string, string]>([
    ['/srv-x/data', 'wrote /srv-x/data/calls/a.txt, then', 'wrote [redacted: local path], then'],
    ['/srv-x/data', 'in /srv-x/data', 'in [redacted: local path]'],
    ['/srv-x/data', '"/srv-x/data"', '"[redacted: local path]"'],
  ])('%s is hidden in %j', (directory, text, expected) => {
    expect(redactText(text, [directory])?.text).toBe(expected);
  });

  it.each<[string, string]>([
    ['/data', '/database/total: is required'],
    ['/data', 'see /data-set and x/data'],
    ['/data/plugins', 'at /data/total: is required'],
  ])('%s is not %j', (directory, text) => {
    expect(redactText(text, [directory])).toBeNull();
  });
});
