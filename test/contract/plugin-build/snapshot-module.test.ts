import { describe, expect, it } from 'vitest';
import { snapshotModule } from '../../../adapters/node/plugin-build/javascript/snapshot-module.ts';
import { textToWasm } from '../../support/wasm/text-to-wasm.ts';

const PAGE = 65_536;

const COUNTER = `(module
  (memory (export "memory") 1)
  (global $count (export "count") (mut i64) (i64.const 0))
  (global $fixed i32 (i32.const 7))
  (data (i32.const 8) "old")
  (func (export "work")
    (global.set $count (i64.sub (global.get $count) (i64.const 1)))
    (drop (memory.grow (i32.const 1)))
    (i32.store8 (i32.const 16) (i32.const 1))
    (i32.store (i32.const 70000) (i32.const -2)))
  (func (export "fixed") (result i32) (global.get $fixed)))`;

type Exports = {
  readonly memory: WebAssembly.Memory;
  readonly count: WebAssembly.Global<'i64'>;
  work(): void;
  fixed(): number;
};

const started = (bytes: Uint8Array) =>
  new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports as unknown as Exports;

const snapshotOf = ({ memory, count }: Exports) => ({
  memory: new Uint8Array(memory.buffer),
  heapStart: 0,
  globals: new Map<string, number | bigint>([['count', count.value]]),
});

describe('a module made of an instance', () => {
  it('starts with the memory and the globals that the instance had', () => {
    const module = textToWasm(COUNTER);
    const worked = started(module);
    worked.work();
    worked.work();
    const copy = started(snapshotModule(module, snapshotOf(worked), ['memory', 'count', 'work', 'fixed']));
    expect(copy.count.value).toBe(-2n);
    expect(copy.fixed()).toBe(7);
    expect(copy.memory.buffer.byteLength).toBe(3 * PAGE);
    expect(Buffer.from(copy.memory.buffer).equals(Buffer.from(worked.memory.buffer))).toBe(true);
  });

  it('leaves what is below the heap at zero', () => {
    const module = textToWasm(COUNTER);
    const worked = started(module);
    worked.work();
    const copy = started(snapshotModule(module, { ...snapshotOf(worked), heapStart: 12 }, ['memory']));
    expect([...new Uint8Array(copy.memory.buffer, 8, 9)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('exports what is asked for', () => {
    const module = textToWasm(COUNTER);
    const copy = snapshotModule(module, snapshotOf(started(module)), ['work']);
    expect(WebAssembly.Module.exports(new WebAssembly.Module(new Uint8Array(copy)))).toEqual([
      { name: 'work', kind: 'function' },
    ]);
  });

  it('is not made when a global that changes cannot be seen', () => {
    const module = textToWasm('(module (memory (export "memory") 1) (global (mut i32) (i32.const 0)))');
    const snapshot = { memory: new Uint8Array(PAGE), heapStart: 0, globals: new Map() };
    expect(() => snapshotModule(module, snapshot, [])).toThrow('global 0 of the engine changes and is not exported');
  });

  it('is not made of what is no module', () => {
    const snapshot = { memory: new Uint8Array(PAGE), heapStart: 0, globals: new Map() };
    expect(() => snapshotModule(Uint8Array.of(1, 2, 3), snapshot, [])).toThrow('this is no WebAssembly module');
  });
});
