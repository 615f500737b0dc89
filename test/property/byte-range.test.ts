import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestedRange } from '../../src/server/byte-range.ts';

const size = fc.integer({ min: 0, max: 60 });
const number = fc.integer({ min: 0, max: 80 });
const spec = fc.oneof(
  fc.record({ first: number, length: number }).map(({ first, length }) => ({
    text: `${first}-${first + length}`,
    has: (at: number) => at >= first && at <= first + length,
  })),
  number.map((first) => ({ text: `${first}-`, has: (at: number) => at >= first })),
  number.map((last) => ({ text: `-${last}`, has: (at: number, total: number) => at >= total - last })),
);

describe('a set of ranges', () => {
  it('is one part exactly when what it asks for is connected, and then that part', () => {
    fc.assert(
      fc.property(size, fc.array(spec, { minLength: 1, maxLength: 5 }), (total, specs) => {
        const asked = Array.from({ length: total }, (_, at) => specs.some(({ has }) => has(at, total)));
        const found = requestedRange(`bytes=${specs.map(({ text }) => text).join(', ')}`, total);
        const first = asked.indexOf(true);
        const last = asked.lastIndexOf(true);
        const isConnected = asked.slice(first, last + 1).every(Boolean);
        const part = isConnected ? { start: first, end: last } : 'whole';
        expect(found).toEqual(first === -1 ? 'unsatisfiable' : part);
      }),
    );
  });

  it('of any text asks for a part that is there, or for nothing in particular', () => {
    fc.assert(
      fc.property(
        size,
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `bytes=${text}`),
        ),
        (total, header) => {
          const found = requestedRange(header, total);
          if (typeof found === 'string') return;
          expect(found.start).toBeGreaterThanOrEqual(0);
          expect(found.end).toBeGreaterThanOrEqual(found.start);
          expect(found.end).toBeLessThan(total);
        },
      ),
    );
  });
});
