import v8 from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instrumentModule } from '../../../src/sandbox/instrument-module.ts';
import { closeModule } from '../../support/wasm/close-module.ts';
import { countInstructions } from '../../support/wasm/count-instructions.ts';
import { fuelOf, globalOf, setFuel, type Exports } from '../../support/wasm/metered.ts';
import { rulesWith } from '../../support/wasm/module-rules.ts';
import { readModuleText, type TextType } from '../../support/wasm/module-text.ts';
import { createNumbers, randomModule } from '../../support/wasm/random-modules.ts';
import { callOf, stateOf } from '../../support/wasm/run-twins.ts';
import { textToWasm, wasmToText } from '../../support/wasm/text-to-wasm.ts';

// Other ones: VCP_FUZZ_SEED=1000 VCP_FUZZ_MODULES=200 npx vitest run test/contract/sandbox/random-modules.test.ts
const FIRST_SEED = Number(process.env.VCP_FUZZ_SEED ?? 200);
const MODULES = Number(process.env.VCP_FUZZ_MODULES ?? 6);

const BULK = /(?:memory|table)\.(?:fill|copy|init|grow)/;

type Subject = { readonly seed: number; readonly text: string; readonly functions: readonly TextType[] };

const instrument = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const verdict = instrumentModule(bytes, rulesWith({ memoryPages: 65_536, tableElements: 10_000_000 }));
  if (!verdict.ok) throw new Error(verdict.reason);
  return verdict.module.bytes;
};

/** Null when the module cannot begin, such as by a segment that does not fit. */
const start = (bytes: Uint8Array<ArrayBuffer>, fuel?: bigint): Exports | null => {
  const module = new WebAssembly.Module(bytes);
  try {
    const exports = new WebAssembly.Instance(module).exports as Exports;
    if (fuel !== undefined) setFuel(exports, fuel);
    return exports;
  } catch {
    return null;
  }
};

const subjects: Subject[] = [];
/** Without instructions whose length may take any amount at once. */
const simple: Subject[] = [];

const generate = async (seed: number, options: { bulk: boolean }): Promise<Subject | null> => {
  const bytes = await randomModule(seed, 30_000, options);
  try {
    const text = closeModule(wasmToText(bytes));
    return { seed, text, functions: readModuleText(text).functions };
  } catch {
    return null; // The fuzzer sometimes uses what it was not allowed to.
  }
};

beforeAll(async () => {
  // One tier of the engine: the bits of a NaN may differ between two.
  v8.setFlagsFromString('--liftoff-only');
  for (let seed = FIRST_SEED; seed < FIRST_SEED + MODULES; seed += 1) {
    const [any, plain] = [await generate(seed, { bulk: true }), await generate(seed, { bulk: false })];
    if (any !== null) subjects.push(any);
    if (plain !== null && !BULK.test(plain.text)) simple.push(plain);
  }
  expect(subjects.length).toBeGreaterThan(MODULES * 0.8);
  expect(simple.length).toBeGreaterThan(MODULES * 0.5);
}, 10_000 * MODULES);

afterAll(() => {
  v8.setFlagsFromString('--no-liftoff-only');
});

describe('random modules', () => {
  it('do the same after the rewrite as before, and take the fuel of what they ran', () => {
    const seen = { done: 0, trap: 0, long: 0 };
    for (const { seed, text, functions } of subjects) {
      const original = textToWasm(text);
      const before = start(original);
      const after = start(instrument(original), 2n ** 60n);
      const counted = start(textToWasm(countInstructions(text)));
      expect([after === null, counted === null]).toEqual([before === null, before === null]);
      if (before === null || after === null || counted === null) continue;
      module: for (const [index, { parameters }] of functions.entries()) {
        for (let turn = 0; turn < 2; turn += 1) {
          const name = `f${index}`;
          const [fuel, count] = [fuelOf(after), globalOf(counted, 'count').value as bigint];
          const [first, second, third] = [before, after, counted].map((exports) => ({
            ...callOf(exports, name, parameters, createNumbers(seed * 1_000 + index * 2 + turn)),
            state: stateOf(exports, turn === 1),
          })) as [ReturnType<typeof callOf> & { state: string }, ReturnType<typeof callOf>, ReturnType<typeof callOf>];
          // How deep a stack goes is the engine's affair; what was done until then differs.
          if ([first, second, third].some(({ type }) => type === 'overflow')) break module;
          if (first.type === 'hidden') continue;
          expect({ seed, name, ...second }).toEqual({ seed, name, ...first });
          expect({ seed, name, ...third }).toEqual({ seed, name, ...first });
          seen[first.type as 'done' | 'trap'] += 1;
          if (first.type !== 'done') continue;
          const used = fuel - fuelOf(after);
          expect({ seed, name, used }).toEqual({
            seed,
            name,
            used: (globalOf(counted, 'count').value as bigint) - count,
          });
          if (used > 100n) seen.long += 1;
        }
      }
    }
    // What was compared is worth something.
    expect(seen.done).toBeGreaterThan(MODULES * 30);
    expect(seen.trap).toBeGreaterThan(MODULES * 5);
    expect(seen.long).toBeGreaterThan(MODULES * 3);
  }, 120_000);

  it('run with exactly the fuel that they take, and are out of fuel with one unit less', () => {
    let compared = 0;
    for (const { seed, text, functions } of subjects) {
      const bytes = instrument(textToWasm(text));
      for (const [index, { parameters }] of functions.entries()) {
        const run = (fuel: bigint) => {
          const exports = start(bytes, fuel);
          if (exports === null) return null;
          const outcome = callOf(exports, `f${index}`, parameters, createNumbers(seed + index));
          return { ...outcome, left: fuelOf(exports) };
        };
        const free = run(2n ** 60n);
        if (free?.type !== 'done') continue;
        const used = 2n ** 60n - free.left;
        expect({ seed, index, ...run(used) }).toEqual({ seed, index, ...free, left: 0n });
        if (used === 0n) continue;
        const short = run(used - 1n);
        expect({ seed, index, type: short?.type, below: (short?.left ?? 0n) < 0n }).toEqual({
          seed,
          index,
          type: 'trap',
          below: true,
        });
        expect(run(used - 1n)).toEqual(short);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(MODULES * 10);
  }, 120_000);

  it('end when the guards against endless loops are taken from them', () => {
    let ended = 0;
    let bounded = 0;
    for (const { seed, text, functions } of [...subjects, ...simple]) {
      const endless = text
        .replaceAll('i32.const 4000\n', 'i32.const 2000000000\n')
        .replace('(i32.const 4000)', '(i32.const 2000000000)');
      const bytes = instrument(textToWasm(endless));
      const bulk = BULK.test(text);
      for (const [index, { parameters }] of functions.entries()) {
        const exports = start(bytes, 200_000n);
        if (exports === null) continue;
        callOf(exports, `f${index}`, parameters, createNumbers(index));
        const left = fuelOf(exports);
        if (left >= 0n) continue;
        ended += 1;
        if (bulk) continue;
        // By what one function does without a loop or a call, at most.
        expect({ seed, index, left: left > -20_000n || left }).toEqual({ seed, index, left: true });
        bounded += 1;
      }
    }
    expect(ended).toBeGreaterThan(MODULES);
    expect(bounded).toBeGreaterThan(MODULES);
  }, 120_000);

  it('with bytes changed are refused in words, or are what an engine takes as before', () => {
    const seen = { refused: 0, valid: 0 };
    for (const { seed, text } of subjects.slice(0, 4)) {
      const original = textToWasm(text);
      const next = createNumbers(seed);
      for (let turn = 0; turn < 400; turn += 1) {
        const changed = original.slice();
        for (let changes = 1 + (next() % 3); changes > 0; changes -= 1) changed[next() % changed.length] = next() % 256;
        const bytes = next() % 8 === 0 ? changed.slice(0, next() % changed.length) : changed;
        const verdict = instrumentModule(bytes, rulesWith({ memoryPages: 65_536, tableElements: 10_000_000 }));
        if (!verdict.ok) {
          expect(verdict.reason).toMatch(/^(the module|section \d+ \(.*\)|function \d+), at byte \d+: /);
          seen.refused += 1;
        } else {
          expect(WebAssembly.validate(verdict.module.bytes)).toBe(WebAssembly.validate(bytes));
          if (WebAssembly.validate(bytes)) seen.valid += 1;
        }
      }
    }
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.valid).toBeGreaterThan(100);
  }, 120_000);
});
