import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveJsonPointer } from '../../src/lib/json-pointer.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { rewriteReferences } from '../../src/resources/rewrite-references.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_260_711 });

describe('rewriteReferences', () => {
  const reference = fc.constantFrom('a', 'b', 'missing').map((id) => ({ $resource: id }));
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      reference,
      fc.constantFrom<JsonValue>(1, 'a', null, '$resource'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('x', 'y', 'a/b'), tie('tree'), { maxKeys: 3 }),
    ),
  }));
  const published = new Map([
    ['a', 'res_A'],
    ['b', 'res_B'],
  ]);

  it('replaces every published id, changes nothing else, and finds every dangling one', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const before = JSON.stringify(value);
        const rewritten = rewriteReferences(value, published, ['data']);
        expect(JSON.stringify(value)).toBe(before);
        expect(rewritten.ok).toBe(!before.includes('{"$resource":"missing"}'));
        if (rewritten.ok) {
          expect(JSON.stringify(rewritten.value)).toBe(
            before
              .replaceAll('{"$resource":"a"}', '{"$resource":"res_A"}')
              .replaceAll('{"$resource":"b"}', '{"$resource":"res_B"}'),
          );
          if (!before.includes('{"$resource"')) expect(rewritten.value).toBe(value);
        } else expect(resolveJsonPointer({ data: value }, rewritten.issue.pointer)).toBe('missing');
      }),
      { numRuns: 300 },
    );
  });
});
