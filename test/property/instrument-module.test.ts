import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instrumentModule } from '../../src/sandbox/instrument-module.ts';
import { body, list, wasm } from '../support/wasm/build-module.ts';
import { rulesWith } from '../support/wasm/module-rules.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_261_130 });

/** A little of everything that a module can hold. */
const whole = wasm(
  list(1, [0x60, 0, 0], [0x60, [1, 0x7e], [1, 0x7e]], [0x60, [1, 0x7f], [2, 0x7f, 0x7f]]),
  list(2, ['extism:host/env', 'alloc', 0, 1], ['extism:host/user', 'kv_get', 0, 1]),
  list(3, [0], [2]),
  list(4, [0x70, 1, 2, 9], [0x6f, 0, 1]),
  list(5, [0, 1]),
  list(6, [0x7f, 1, 0x41, 1, 0x41, 2, 0x6a, 0x0b], [0x70, 0, 0xd2, 0, 0x0b]),
  list(7, ['invoke', 0, 2], ['memory', 2, 0], ['alloc', 0, 0]),
  [8, 1, 2],
  list(9, [0, 0x41, 0, 0x0b, 2, 0, 2], [5, 0x70, 1, 0xd2, 3, 0x0b]),
  [12, 1, 1],
  list(
    10,
    body([
      [0x02, 0x40, 0x03, 0x40, 0x41, 1, 0x0d, 1, 0x41, 0, 0x0e, 1, 0, 1, 0x0b, 0x0b],
      [0x41, 0, 0x41, 0, 0x41, 8, 0xfc, 11, 0, 0x41, 1, 0x40, 0, 0x1a, 0x42, 1, 0x10, 0, 0x1a],
      [0x41, 0, 0x11, 0, 0, 0xfd, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0x1a],
    ]),
    body([0x20, 0, 0x04, 0x40, 0x20, 0, 0x20, 0, 0x0f, 0x05, 0x0b, 0x20, 0, 0x20, 0], [1, 2, 0x7e]),
  ),
  list(11, [1, 'data']),
);

const changes = fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { maxLength: 4 });

const change = (places: readonly (readonly [number, number])[], length: number): Uint8Array => {
  const bytes = whole.slice(0, length);
  for (const [place, byte] of places) if (place < length) bytes[place] = byte;
  return bytes;
};

describe('the instrumentation', () => {
  it('takes the module that the others are made of', () => {
    expect(instrumentModule(whole, rulesWith())).toMatchObject({ ok: true, module: { hostFunctions: ['kv_get'] } });
  });

  it('answers to any bytes, in words when it refuses them', () => {
    fc.assert(
      fc.property(
        changes,
        fc.oneof({ weight: 5, arbitrary: fc.constant(whole.length) }, fc.nat({ max: whole.length })),
        (places, length) => {
          const verdict = instrumentModule(change(places, length), rulesWith());
          if (!verdict.ok)
            expect(verdict.reason).toMatch(/^(the module|section \d+ \(.*\)|function \d+), at byte \d+: .{9}/);
          return true;
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('answers to any bytes behind a header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => {
        instrumentModule(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...rest), rulesWith());
        return true;
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not take its own output for a module without a sandbox', () => {
    const verdict = instrumentModule(whole, rulesWith());
    const again = instrumentModule(verdict.ok ? verdict.module.bytes : whole, rulesWith());
    expect(again).toMatchObject({ ok: false, reason: expect.stringContaining('exports "__vcp_fuel"') });
  });
});
