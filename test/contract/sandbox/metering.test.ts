import { describe, expect, it } from 'vitest';
import { fuelOf, globalOf, memoryOf, metered, meteredModule, setFuel } from '../../support/wasm/metered.ts';

const PLENTY = 10_000_000;

describe('fuel', () => {
  it.each<[string, string]>([
    ['a loop', '(func (export "f") (loop (br 0)))'],
    ['a loop with a condition', '(func (export "f") (loop (br_if 0 (i32.const 1))))'],
    ['a loop by a table', '(func (export "f") (loop (br_table 0 0 (i32.const 3))))'],
    ['loops in loops', '(func (export "f") (loop (loop (br 1)) (unreachable)))'],
    ['loops in loops, entered again', '(func (export "f") (loop (loop (br_if 1 (i32.const 1))) (br 0)))'],
    ['a while loop', '(func (export "f") (block (loop (br_if 1 (i32.eqz (i32.const 1))) (nop) (br 0))))'],
    [
      'a loop that carries values',
      '(func (export "f") (result i32) (i32.const 1) (loop (param i32) (result i32) (br 0)))',
    ],
    ['a loop around an empty call', '(func $e) (func (export "f") (loop (call $e) (br 0)))'],
    [
      'two functions that call each other in turn',
      '(func $a (param i32) (if (local.get 0) (then (call $b (local.get 0))))) (func $b (param i32) (loop (call $a (i32.const 0)) (br 0))) (func (export "f") (call $a (i32.const 1)))',
    ],
    [
      'a tree of calls',
      '(func $t (param i32) (if (local.get 0) (then (call $t (i32.sub (local.get 0) (i32.const 1))) (call $t (i32.sub (local.get 0) (i32.const 1)))))) (func (export "f") (call $t (i32.const 60)))',
    ],
    [
      'calls through a table',
      '(table funcref (elem $e)) (func $e) (func (export "f") (loop (call_indirect (i32.const 0)) (br 0)))',
    ],
    [
      'fills of nothing',
      '(memory 1) (func (export "f") (loop (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (br 0)))',
    ],
    ['growing by nothing', '(memory 1) (func (export "f") (loop (drop (memory.grow (i32.const 0))) (br 0)))'],
  ])('ends %s', (_, text) => {
    const module = metered(`(module ${text})`);
    expect(module.call('f', PLENTY).ended).toBe('out of fuel');
    // It ends the same way, at the same unit, in every run.
    expect(metered(`(module ${text})`).call('f', PLENTY).used).toBe(module.call('f', PLENTY).used);
  });

  it('is a unit for each instruction that runs, and none for those that do not', () => {
    const module = metered(`(module
      (func (export "straight") (result i32) (i32.add (i32.const 1) (i32.const 2)))
      (func (export "either") (param i32) (result i32)
        (if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.add (i32.const 1) (i32.add (i32.const 1) (i32.const 1))))))
      (func (export "times") (param i32) (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))`);
    expect(module.call('straight', PLENTY)).toEqual({ ended: 3, used: 3n });
    expect(module.call('either', PLENTY, 1)).toEqual({ ended: 1, used: 3n });
    expect(module.call('either', PLENTY, 0)).toEqual({ ended: 3, used: 7n });
    expect(module.call('times', PLENTY, 1).used).toBe(5n);
    expect(module.call('times', PLENTY, 1_000).used).toBe(5_000n);
  });

  it('suffices to the last unit, and not with one less', () => {
    const module = metered(`(module
      (func (export "f") (param i32) (result i32 i64) (local $sum i32)
        (block (loop
          (br_if 1 (i32.eqz (local.get 0)))
          (local.set $sum (i32.add (local.get $sum) (local.get 0)))
          (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
          (br 0)))
        (return (local.get $sum) (i64.const 7))))`);
    const { used } = module.call('f', PLENTY, 100);
    expect(module.call('f', used, 100)).toEqual({ ended: [5050, 7n], used });
    expect(module.call('f', used - 1n, 100).ended).toBe('out of fuel');
  });

  it('is told apart from a trap of the guest by being below zero', () => {
    const module = metered('(module (func (export "f") (unreachable)))');
    expect(module.call('f', PLENTY).ended).toBe('unreachable');
    expect(module.call('f', 0).ended).toBe('out of fuel');
  });

  it('bounds a start function before the host has set it', () => {
    const endless = meteredModule('(module (func $s (loop (br 0))) (start $s))', { startFuel: 1_000_000 });
    expect(() => new WebAssembly.Instance(endless)).toThrow('unreachable');
    const short = metered(
      '(module (global (export "g") (mut i32) (i32.const 0)) (func $s (global.set 0 (i32.const 5))) (start $s))',
    );
    expect(globalOf(short.exports, 'g').value).toBe(5);
    expect(short.fuel()).toBe(19_999_998n);
  });

  it.each([
    ['i32.div_u', '(drop (i32.div_u (i32.const 1) (i32.const 1)))', 2n + 8n + 1n],
    ['f64.sqrt', '(drop (f64.sqrt (f64.const 2)))', 1n + 8n + 1n],
    ['f32x4.sqrt', '(drop (f32x4.sqrt (v128.const f32x4 2 2 2 2)))', 1n + 16n + 1n],
    ['f64x2.sqrt', '(drop (f64x2.sqrt (v128.const f64x2 2 2)))', 1n + 16n + 1n],
    ['f32x4.div', '(drop (f32x4.div (v128.const f32x4 2 2 2 2) (v128.const f32x4 2 2 2 2)))', 2n + 16n + 1n],
    ['f64x2.div', '(drop (f64x2.div (v128.const f64x2 2 2) (v128.const f64x2 2 2)))', 2n + 16n + 1n],
    ['f64x2.mul', '(drop (f64x2.mul (v128.const f64x2 2 2) (v128.const f64x2 2 2)))', 2n + 1n + 1n],
  ])('is more for what takes longer: %s', (_, text, used) => {
    expect(metered(`(module (func (export "f") ${text}))`).call('f', PLENTY).used).toBe(used);
  });

  it('is taken for setting locals to zero, which no instruction does', () => {
    const locals = (count: number): bigint =>
      metered(`(module (func $f (local ${'i64 '.repeat(count)})) (func (export "f") (call $f)))`).call('f', PLENTY)
        .used;
    expect(locals(0)).toBe(1n);
    expect(locals(4_000)).toBe(501n);
  });
});

describe('bulk operations', () => {
  const bulk =
    metered(`(module (memory (export "m") 256) (table $t 100 funcref) (data $d "0123456789abcdef") (elem $e func 0 0 0)
    (func (export "fill") (param i32) (memory.fill (i32.const 0) (i32.const 7) (local.get 0)))
    (func (export "copy") (param i32) (memory.copy (i32.const 0) (i32.const 65536) (local.get 0)))
    (func (export "init") (param i32) (memory.init $d (i32.const 0) (i32.const 0) (local.get 0)))
    (func (export "table.fill") (param i32) (table.fill $t (i32.const 0) (ref.null func) (local.get 0)))
    (func (export "table.copy") (param i32) (table.copy $t $t (i32.const 0) (i32.const 1) (local.get 0)))
    (func (export "table.init") (param i32) (table.init $t $e (i32.const 0) (i32.const 0) (local.get 0))))`);

  it('cost by their length', () => {
    expect(bulk.call('fill', PLENTY, 0).used).toBe(20n);
    expect(bulk.call('fill', PLENTY, 16 * 1024 * 1024).used).toBe(20n + 1_048_576n);
    expect(bulk.call('copy', PLENTY, 4_000).used).toBe(20n + 250n);
    expect(bulk.call('init', PLENTY, 16).used).toBe(20n + 1n);
    expect(bulk.call('table.fill', PLENTY, 10).used).toBe(20n + 320n);
    expect(bulk.call('table.copy', PLENTY, 10).used).toBe(20n + 320n);
    // The segment has three elements, and an engine makes them all, whatever is taken.
    expect(bulk.call('table.init', PLENTY, 0).used).toBe(20n + 96n);
    expect(bulk.call('table.init', PLENTY, 3).used).toBe(20n + 96n + 96n);
  });

  it('do not begin when the fuel is too little', () => {
    const bytes = memoryOf(bulk.exports, 'm');
    bytes.fill(0);
    expect(bulk.call('fill', 1_000, 1_000_000).ended).toBe('out of fuel');
    expect(bytes.indexOf(7)).toBe(-1);
  });

  it('take fuel whatever the length looks like', () => {
    for (const length of [-1, -2_147_483_648, 2_147_483_647]) {
      for (const name of ['fill', 'copy', 'init', 'table.fill', 'table.copy', 'table.init']) {
        const { ended, used } = bulk.call(name, 1_000_000, length);
        expect(ended).toBe('out of fuel');
        expect(used).toBeGreaterThan(1_000_000n);
      }
    }
  });
});

describe('growing', () => {
  const grow = (): ReturnType<typeof metered> =>
    metered(
      `(module (memory 1) (table 1 funcref) (func (export "memory") (param i32) (result i32) (memory.grow (local.get 0)))
      (func (export "table") (param i32) (result i32) (table.grow (ref.null func) (local.get 0)))
      (func (export "size") (result i32) (memory.size)))`,
      { rules: { memoryPages: 8, tableElements: 50 } },
    );

  it('costs by what was added, and little when it was refused', () => {
    const module = grow();
    expect(module.call('memory', PLENTY, 3)).toEqual({ ended: 1, used: 202n + 3n * 16_384n });
    expect(module.call('memory', PLENTY, 5)).toEqual({ ended: -1, used: 202n });
    expect(module.call('table', PLENTY, 10)).toEqual({ ended: 1, used: 203n + 320n });
    expect(module.call('table', PLENTY, -1)).toEqual({ ended: -1, used: 203n });
  });

  it('ends at the cap, and the host can see that it did', () => {
    for (const [name, enough, tooMuch] of [
      ['memory', 7, 1],
      ['table', 49, 1],
    ] as const) {
      const module = grow();
      expect(module.call(name, PLENTY, enough).ended).toBe(1);
      expect(module.denied()).toBe(false);
      expect(module.call(name, PLENTY, tooMuch).ended).toBe(-1);
      expect(module.denied()).toBe(true);
    }
  });

  it('keeps a maximum of the module that is smaller', () => {
    const own = metered(
      '(module (memory 1 2) (func (export "f") (param i32) (result i32) (memory.grow (local.get 0))))',
    );
    expect([own.call('f', PLENTY, 1).ended, own.call('f', PLENTY, 1).ended]).toEqual([1, -1]);
  });

  it('shows the host a memory that is not exported', () => {
    const module = grow();
    module.call('memory', PLENTY, 2);
    expect(memoryOf(module.exports, '__vcp_memory').length).toBe(3 * 65_536);
  });
});

describe('calls of the host', () => {
  const text = `(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "free" (func $free (param i64)))
    (table (export "t") 2 funcref) (elem (i32.const 0) $alloc $free) (elem declare func $free)
    (global $g funcref (ref.func $free))
    (export "free" (func $free))
    (func (export "alloc") (param i64) (result i64) (call $alloc (local.get 0)))
    (func (export "indirect") (call_indirect (param i64) (i64.const 1) (i32.const 1)))
    (func (export "reference") (table.set (i32.const 0) (ref.func $free)) (call_indirect (param i64) (i64.const 1) (i32.const 0)))
    (func (export "global") (table.set (i32.const 0) (global.get $g)) (call_indirect (param i64) (i64.const 1) (i32.const 0))))`;
  const calls: unknown[] = [];
  const host = { alloc: (size: bigint) => (calls.push(size), 64n), free: (at: bigint) => void calls.push(at) };
  const module = metered(text, { imports: { 'extism:host/env': host } });

  it('have a price, and a block that is asked for also one by its length', () => {
    expect(module.call('alloc', PLENTY, 0n)).toEqual({ ended: 64n, used: 102n });
    expect(module.call('alloc', PLENTY, 4_000_000n)).toEqual({ ended: 64n, used: 250_102n });
  });

  it('do not reach the host when the fuel is too little, whatever the length', () => {
    calls.length = 0;
    for (const size of [1_000_000n, -1n, -(2n ** 63n), 2n ** 63n - 1n]) {
      expect(module.call('alloc', 1_000, size).ended).toBe('out of fuel');
    }
    expect(calls).toEqual([]);
  });

  it('have their price on every way to them', () => {
    expect(module.call('indirect', PLENTY).used).toBe(107n);
    expect(module.call('reference', PLENTY).used).toBe(107n + 64n + 16n + 1n);
    expect(module.call('global', PLENTY).used).toBe(107n + 64n + 1n + 1n);
    expect(module.call('free', PLENTY, 1n).used).toBe(100n);
    calls.length = 0;
    expect(module.call('indirect', 50).ended).toBe('out of fuel');
    expect(calls).toEqual([]);
  });

  it('may take fuel themselves', () => {
    const dear = { ...host, free: () => setFuel(dearModule.exports, fuelOf(dearModule.exports) - 5_000n) };
    const dearModule = metered(text, { imports: { 'extism:host/env': dear } });
    expect(dearModule.call('indirect', PLENTY).used).toBe(5_107n);
  });
});

describe('a module after the rewrite', () => {
  it('names its functions when it traps', () => {
    const module = metered('(module (func $deep_inside (unreachable)) (func (export "f") (call $deep_inside)))');
    setFuel(module.exports, 100n);
    let stack = '';
    try {
      (module.exports.f as () => void)();
    } catch (error) {
      stack = String((error as Error).stack);
    }
    expect(stack).toContain('deep_inside');
  });
});
