import { describe, expect, it } from 'vitest';
import { instrumentModule } from '../../../src/sandbox/instrument-module.ts';
import type { ModuleRules } from '../../../src/sandbox/module-rules.ts';
import { body, bytesOf, list, moduleWith, section, u32, wasm, type Part } from '../../support/wasm/build-module.ts';
import { rulesWith } from '../../support/wasm/module-rules.ts';

const refusalOf = (bytes: Uint8Array, rules: Partial<ModuleRules> = {}): string => {
  const verdict = instrumentModule(bytes, rulesWith(rules));
  return verdict.ok ? 'accepted' : verdict.reason;
};

const importing = (module: string, name: string, type: Part = [0x60, [1, 0x7e], [1, 0x7e]]): Uint8Array =>
  wasm(list(1, type), list(2, [module, name, 0, 0]));

/** Element segments of so many times function 0. */
const segments = (...sizes: readonly number[]): Uint8Array =>
  moduleWith([], { before: [list(9, ...sizes.map((size): Part => [1, 0, size, Array<number>(size).fill(0)]))] });

const FUNCTION: readonly Part[] = [list(1, [0x60, 0, 0]), list(3, [0])];

describe('a module that is no module', () => {
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'the module, at byte 0: this is no WebAssembly: it does not begin with "\\0asm"'],
    ['text', new TextEncoder().encode('(module)'), 'this is no WebAssembly'],
    ['a component', Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0), 'this is a component; build a core module'],
    ['another version', Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0), 'only 1 is'],
    ['a section longer than the file', wasm([1, 100, 0]), 'this section is longer than the file'],
    ['a section cut off in its number', wasm([1]), 'the bytes end too early'],
    ['an unknown section', wasm(section(14, 0)), 'section 14 is not known'],
    ['a section twice', wasm(list(1), list(1)), 'section 1 stands twice or too late'],
    ['sections in the wrong order', wasm(list(3), list(1)), 'section 1 stands twice or too late'],
    ['something behind a section', wasm(section(1, 0, 0)), 'something is left over at the end of this section'],
    ['a number of more than 32 bits', wasm(section(1, 0xff, 0xff, 0xff, 0xff, 0x1f)), 'more than 32 bits'],
    ['a number that does not end', wasm(section(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), 'more than 32 bits'],
    ['more entries than bytes', wasm(section(3, u32(40_000))), '40000 functions do not fit into what is left'],
    ['functions without bodies', wasm(...FUNCTION), 'there are not as many bodies as functions'],
    ['a body longer than its section', wasm(...FUNCTION, section(10, 1, 9, 0, 0x0b)), 'the bytes end too early'],
    [
      'a body without an end',
      wasm(...FUNCTION, list(10, [2, 0, 0x01])),
      'function 0, at byte 24: the bytes end too early',
    ],
    ['instructions behind the end', moduleWith([0x0b]), 'something stands behind the end of this function'],
    ['a name that is not UTF-8', wasm(section(7, 1, 1, 0xff, 0, 0)), 'this name is not UTF-8'],
  ])('is refused: %s', (_, bytes, reason) => {
    expect(refusalOf(bytes)).toContain(reason);
  });

  it('is refused without memory being reserved for what it only claims to hold', () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]) {
      expect(refusalOf(wasm(section(id, u32(0xffff_ffff))))).toContain('4294967295');
    }
  });
});

describe('what the sandbox does not support', () => {
  it.each<[string, readonly Part[], string]>([
    ['atomics', [0xfe, 0x03, 0x00], 'atomic instructions are not supported; build without threads'],
    ['a tail call', [0x12, 0x00], 'tail calls are not supported; build without them'],
    ['an indirect tail call', [0x13, 0x00, 0x00], 'tail calls are not supported'],
    ['try', [0x06, 0x40], 'exceptions are not supported'],
    ['throw', [0x08, 0x00], 'exceptions are not supported'],
    ['try_table', [0x1f, 0x40, 0x00], 'exceptions are not supported'],
    ['an object', [0xfb, 0x00, 0x00], 'garbage-collected objects are not supported'],
    ['call_ref', [0x14, 0x00], 'typed function references are not supported'],
    ['suspend', [0xe2, 0x00], 'stack switching is not supported'],
    ['an unknown instruction', [0x27], 'the instruction 0x27 is not known'],
    ['an unknown bulk instruction', [0xfc, 18], 'the instruction 0xfc 18 is not known'],
    ['wide arithmetic', [0xfc, 19], 'the instruction 0xfc 19 is not known'],
    ['a hole among the vector instructions', [0xfd, 0x9a, 0x01], 'the vector instruction 154 is not known'],
    ['a relaxed vector instruction', [0xfd, 0x80, 0x02], 'relaxed vector instructions differ between machines'],
    ['another memory', [0x41, 0, 0x28, 0x42, 0x01, 0x00, 0x1a], 'several memories are not supported'],
  ])('is refused with what to do: %s', (_, code, reason) => {
    expect(refusalOf(moduleWith(code))).toMatch(/^function 0, at byte \d+: /);
    expect(refusalOf(moduleWith(code))).toContain(reason);
  });

  it.each<[string, Uint8Array, string]>([
    ['a shared memory', wasm(list(5, [0x03, 1, 2])), 'a shared memory is not supported; build without threads'],
    ['a 64-bit memory', wasm(list(5, [0x04, 1])), 'a 64-bit memory is not supported; build for wasm32'],
    ['two memories', wasm(list(5, [0, 1], [0, 1])), '2 memories; at most 1'],
    ['a 64-bit table', wasm(list(4, [0x70, 0x04, 1])), 'a 64-bit table is not supported'],
    ['exception tags', wasm(section(13, 0)), 'exceptions are not supported'],
    ['structures', wasm(list(1, [0x5f, 0, 0])), 'only function types are supported'],
    ['typed references', wasm(list(1, [0x60, [1, 0x64], 0])), 'the value type 0x64 is not supported'],
    ['a shared global', wasm(list(6, [0x7f, 0x02, 0x41, 0, 0x0b])), 'a shared global is not supported'],
    ['a table with an initial value', wasm(list(4, [0x40, 0, 0x70, 0])), 'is not supported'],
  ])('is refused: %s', (_, bytes, reason) => {
    expect(refusalOf(bytes)).toContain(reason);
  });
});

describe('imports', () => {
  it('may be the functions of both host modules', () => {
    const bytes = wasm(
      list(1, [0x60, [1, 0x7e], [1, 0x7e]], [0x60, 0, [1, 0x7e]], [0x60, [2, 0x7e, 0x7e], [1, 0x7e]]),
      list(
        2,
        ['extism:host/env', 'alloc', 0, 0],
        ['extism:host/env', 'input_length', 0, 1],
        ['extism:host/user', 'kv_get', 0, 0],
        ['extism:host/user', 'resource_write', 0, 2],
        ['extism:host/user', 'kv_get', 0, 0],
      ),
    );
    const verdict = instrumentModule(bytes, rulesWith());
    expect(verdict).toMatchObject({ ok: true, module: { hostFunctions: ['kv_get', 'resource_write'], exports: [] } });
  });

  it.each<[string, Uint8Array, string]>([
    ['WASI', importing('wasi_snapshot_preview1', 'fd_write'), 'there is no WASI'],
    ["AssemblyScript's abort", importing('env', 'abort'), 'In AssemblyScript, map it: --use abort='],
    ['what a linker did not find', importing('env', 'puts'), 'A linker leaves names in "env"'],
    ['another module', importing('host', 'exit'), 'only functions of "extism:host/env" and "extism:host/user"'],
    ['a slip', importing('extism:host/user', 'kv_gett'), 'which does not have it. Did you mean "kv_get"?'],
    ['an unknown name', importing('extism:host/user', 'xyz'), 'It has: resource_write, resource_read, progress, log'],
    ['error_get, which no kit needs', importing('extism:host/env', 'error_get'), 'which does not have it'],
    ['a name every object has', importing('extism:host/env', 'toString'), 'which does not have it'],
    [
      'another type',
      importing('extism:host/user', 'kv_get', [0x60, [1, 0x7f], [1, 0x7e]]),
      'imports "kv_get" as (i32) -> i64; its type is (i64) -> i64',
    ],
    ['a memory', wasm(list(2, ['env', 'memory', 2, 0, 1])), 'imports a memory, "memory" from "env"'],
    ['a table', wasm(list(2, ['env', 't', 1, 0x70, 0, 1])), 'imports a table, "t" from "env"'],
    ['a global', wasm(list(2, ['env', 'g', 3, 0x7f, 0])), 'imports a global, "g" from "env"'],
    ['an exception', wasm(list(2, ['env', 'e', 4, 0, 0])), 'imports a exception tag'],
  ])('are refused: %s', (_, bytes, reason) => {
    expect(refusalOf(bytes)).toContain(reason);
  });
});

describe('what belongs to the sandbox', () => {
  it('cannot be named by a module before it exists', () => {
    const read = [0x23, 0x00, 0x1a];
    const write = [0x42, 0xff, 0x00, 0x24, 0x00];
    expect(refusalOf(moduleWith(read))).toContain('there is no such global');
    expect(refusalOf(moduleWith(write))).toContain('there is no such global');
    expect(refusalOf(moduleWith([0x10, 0x01]))).toContain('there is no function 1');
    expect(refusalOf(moduleWith([0xd2, 0x01, 0x1a]))).toContain('there is no function 1');
    expect(refusalOf(moduleWith([0x20, 0x00, 0x1a]))).toContain('there is no such local');
    expect(refusalOf(moduleWith([0x02, 0x01, 0x0b]))).toContain('there is no type 1');
    expect(refusalOf(moduleWith([0x0c, 0x01]))).toContain('there is no block 1 levels up');
    expect(refusalOf(wasm(list(7, ['fuel', 3, 0])))).toContain('exports "fuel", which does not exist');
    expect(refusalOf(wasm(section(8, 0)))).toContain('there is no function 0');
    expect(refusalOf(wasm(list(9, [0, 0x41, 0, 0x0b, 1, 0])))).toContain('there is no function 0');
    expect(refusalOf(wasm(list(6, [0x7e, 0, 0x23, 0, 0x0b])))).toContain('there is no global 0 here');
  });

  it('cannot be exported by a module under the same name', () => {
    const bytes = moduleWith([], { before: [list(7, ['__vcp_fuel', 0, 0])] });
    expect(refusalOf(bytes)).toContain('exports "__vcp_fuel"; names that begin with __vcp_ are the sandbox\'s');
  });
});

describe('caps', () => {
  const global: Part = [0x7f, 0, 0x41, 0, 0x0b];
  it.each<[string, Partial<ModuleRules>, Uint8Array, string]>([
    ['memory', { memoryPages: 4 }, wasm(list(5, [0, 5])), 'the memory begins with 5 pages, more than the 4'],
    ['table', { tableElements: 9 }, wasm(list(4, [0x70, 0, 10])), 'the table begins with 10 elements, more than the 9'],
    ['tables', { tables: 1 }, wasm(list(4, [0x70, 0, 1], [0x6f, 0, 1])), '2 tables; at most 1'],
    ['bytes of a function', { functionBytes: 3 }, moduleWith([0x01, 0x01]), 'function 0 has 4 bytes; at most 3'],
    ['functions', { functions: 1 }, wasm(list(1, [0x60, 0, 0]), list(3, [0], [0])), '2 functions; at most 1'],
    ['locals', { functionLocals: 9 }, moduleWith([], { locals: [1, 10, 0x7f] }), 'has more than 9 locals; split it'],
    ['parameters', { parameters: 1 }, wasm(list(1, [0x60, [2, 0x7f, 0x7f], 0])), '2 parameters; at most 1'],
    ['results', { results: 1 }, wasm(list(1, [0x60, 0, [2, 0x7f, 0x7f]])), '2 results; at most 1'],
    ['types', { types: 1 }, wasm(list(1, [0x60, 0, 0], [0x60, 0, 0])), '2 types; at most 1'],
    ['imports', { imports: 0 }, importing('extism:host/env', 'alloc'), '1 imports; at most 0'],
    ['exports', { exports: 0 }, moduleWith([], { before: [list(7, ['a', 0, 0])] }), '1 exports; at most 0'],
    ['globals', { globals: 1 }, wasm(list(6, global, global)), '2 globals; at most 1'],
    ['element segments', { elementSegments: 0 }, wasm(list(9, [1, 0, 0])), '1 element segments; at most 0'],
    ['elements', { elements: 3 }, segments(1, 2), 'accepted'],
    ['elements of all segments', { elements: 3 }, segments(1, 3), 'more than 3 elements in all segments'],
    ['data segments', { dataSegments: 0 }, wasm(list(11, [1, 0])), '1 data segments; at most 0'],
    ['bytes', { moduleBytes: 20 }, moduleWith([]), 'it has 24 bytes; at most 20'],
    [
      'br_table',
      { branchTargets: 2 },
      moduleWith([0x41, 0, 0x0e, 3, 0, 0, 0, 0]),
      '3 targets of one "br_table"; at most 2',
    ],
    ['nesting', { nesting: 2 }, moduleWith([2, 0x40, 2, 0x40, 2, 0x40, 0x0b, 0x0b, 0x0b]), 'more than 2 blocks inside'],
  ])('refuse too much of: %s', (_, rules, bytes, reason) => {
    expect(refusalOf(bytes, rules)).toContain(reason);
  });

  it('let through what just fits', () => {
    expect(refusalOf(wasm(list(5, [0, 4])), { memoryPages: 4 })).toBe('accepted');
    expect(refusalOf(wasm(list(4, [0x70, 0, 9])), { tableElements: 9 })).toBe('accepted');
    expect(refusalOf(moduleWith([0x01, 0x01]), { functionBytes: 4 })).toBe('accepted');
    expect(refusalOf(moduleWith([], { locals: [1, 9, 0x7f] }), { functionLocals: 9 })).toBe('accepted');
    expect(refusalOf(moduleWith([2, 0x40, 2, 0x40, 0x0b, 0x0b]), { nesting: 2 })).toBe('accepted');
  });
});

describe('what is written', () => {
  it('is the same bytes for the same module and rules', () => {
    const bytes = moduleWith([0x03, 0x40, 0x0c, 0x00, 0x0b]);
    const [once, again] = [instrumentModule(bytes, rulesWith()), instrumentModule(bytes.slice(), rulesWith())];
    expect(once).toEqual(again);
  });

  it('takes the fuel of an endless loop on every turn', () => {
    const verdict = instrumentModule(moduleWith([0x03, 0x40, 0x0c, 0x00, 0x0b]), rulesWith());
    const bytes = verdict.ok ? [...verdict.module.bytes] : [];
    // loop; local 0 minus 1, stored; below zero: store it for the host, unreachable; br 0
    const loop = [0x03, 0x40, 0x20, 0x00, 0x42, 0x01, 0x7d, 0x21, 0x00, 0x20, 0x00, 0x42, 0x00, 0x53, 0x04, 0x40];
    expect(bytes.join(' ')).toContain(loop.join(' '));
  });

  it('keeps the names of functions and leaves other custom sections out', () => {
    const bytes = moduleWith([], { after: [section(0, 'producers', 0), section(0, 'name', 0, 2, 1, 0x61)] });
    const verdict = instrumentModule(bytes, rulesWith());
    const text = new TextDecoder('latin1').decode(verdict.ok ? verdict.module.bytes : bytesOf());
    expect(text).toContain('name');
    expect(text).not.toContain('producers');
  });

  it('has as many blocks inside each other as the rules allow, whatever the depth', () => {
    const deep = (depth: number): Uint8Array =>
      moduleWith([Array.from({ length: depth }, () => [0x02, 0x40]), Array.from({ length: depth }, () => 0x0b)]);
    expect(refusalOf(deep(4_096))).toBe('accepted');
    expect(refusalOf(deep(100_000), { functionBytes: 1_000_000 })).toContain('more than 4096 blocks inside each other');
  });

  it('reads bodies in the place of others only when they are bodies', () => {
    expect(refusalOf(wasm(...FUNCTION, list(10, body([0x05]))))).toContain('this "else" has no "if"');
  });
});
