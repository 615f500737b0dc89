import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import { project } from '../../../src/runtime/project.ts';
import { canonicalResult, descriptor } from '../../support/sample-values.ts';

/** A result that nobody can look through: reading one of its fields fails. */
const unreadable = (): CanonicalToolResult => {
  const data = { a: 'words of the plugin' };
  Object.defineProperty(data, 'b', {
    enumerable: true,
    get: () => {
      throw new RangeError('too deep');
    },
  });
  const result = CanonicalToolResult.parse(canonicalResult({ resources: [descriptor()] }));
  return { ...result, data: data as never };
};

const shown = (view: ResultView): unknown =>
  project(unreadable(), view, { viewer: { roles: new Set(['human']) }, knownPaths: [], limits: DEFAULT_LIMITS });

describe('a result that cannot be looked through', () => {
  it.each(['ai', 'canonical', 'workflow', 'bridge', 'audit'] as const)(
    'says in the %s view that it is withheld',
    (view) => {
      const text = JSON.stringify(shown(view));
      expect(text).toContain('RESULT_WITHHELD');
      expect(text).not.toContain('words of the plugin');
    },
  );

  it('names for a model what is missing, in its text and in the list', () => {
    const result = unreadable();
    expect(shown('ai')).toMatchObject({
      text: expect.stringContaining('none of it is shown'),
      omitted: {
        fields: [{ pointer: '/data', unit: 'fields', originalCount: 2, keptCount: 0 }],
        resources: [result.resources[0]?.id],
      },
    });
  });
});
