import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModulePreparer, prepareModule } from '../../../src/sandbox/prepare-module.ts';
import { rulesWith } from '../../support/wasm/module-rules.ts';
import { textToWasm } from '../../support/wasm/text-to-wasm.ts';

const guest = textToWasm(`(module (import "extism:host/user" "log" (func $log (param i64) (result i64)))
  (memory (export "memory") 1) (func (export "invoke") (result i32) (drop (call $log (i64.const 0))) (i32.const 0)))`);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('preparing a module', () => {
  it('gives what a sandbox runs, told apart by the hash of the rewritten bytes', async () => {
    const preparation = await prepareModule(guest, rulesWith());
    if (!preparation.ok) throw new Error(preparation.reason);
    const { sandbox, hostFunctions, exports } = preparation.module;
    const bytes = sandbox.bytes as Uint8Array<ArrayBuffer>;
    expect(sandbox.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(sandbox.compiled).toBeNull();
    expect([hostFunctions, exports]).toEqual([['log'], ['memory', 'invoke']]);
    const names = WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name);
    expect(names).toEqual(['memory', 'invoke', '__vcp_fuel', '__vcp_denied', '__vcp_memory']);
  });

  it('refuses what the engine finds invalid, although the rewrite would not notice', async () => {
    const bytes = textToWasm('(module (func (export "f") (result i32) (i32.const 1)))');
    const wrong = bytes.slice();
    const constant = wrong.findIndex((byte, index) => byte === 0x41 && wrong[index + 1] === 1);
    wrong[constant] = 0x42; // an i64 where an i32 must be
    expect(await prepareModule(wrong, rulesWith())).toEqual({
      ok: false,
      reason: 'the engine finds it invalid; build it again, or for WebAssembly 2.0',
    });
  });

  it('says what is not supported rather than that it is invalid', async () => {
    const bytes = Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0);
    expect(await prepareModule(bytes, rulesWith())).toMatchObject({ reason: expect.stringContaining('a component') });
  });

  it('never gives out a rewrite that the engine does not take', async () => {
    const validate = vi.spyOn(WebAssembly, 'validate');
    validate.mockReturnValueOnce(true).mockReturnValueOnce(false);
    expect(await prepareModule(guest, rulesWith())).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a mistake of the sandbox'),
    });
  });

  it('says so where the runtime cannot check modules', async () => {
    vi.spyOn(WebAssembly, 'validate').mockImplementation(() => {
      throw new Error('code generation disallowed by embedder');
    });
    expect(await prepareModule(guest, rulesWith())).toEqual({
      ok: false,
      reason:
        'this runtime cannot check WebAssembly while it runs; prepare the module when it is deployed (code generation disallowed by embedder)',
    });
  });

  it('does not care what becomes of the bytes afterwards', async () => {
    const bytes = guest.slice();
    const pending = prepareModule(bytes, rulesWith());
    bytes.fill(0);
    expect(await pending).toEqual(await prepareModule(guest, rulesWith()));
  });
});

describe('a preparer', () => {
  it('works once on the same bytes with the same rules', async () => {
    const preparer = createModulePreparer();
    const [first, second] = await Promise.all([
      preparer.prepare(guest, rulesWith()),
      preparer.prepare(guest.slice(), rulesWith()),
    ]);
    expect(second).toBe(first);
    const other = await preparer.prepare(guest, rulesWith({ memoryPages: 2 }));
    expect(other).not.toBe(first);
    expect(other.ok && first.ok && other.module.sandbox.digest).not.toBe(first.ok && first.module.sandbox.digest);
  });

  it('forgets what was prepared longest ago', async () => {
    const preparer = createModulePreparer({ capacity: 1 });
    const first = await preparer.prepare(guest, rulesWith());
    expect(await preparer.prepare(guest, rulesWith())).toBe(first);
    await preparer.prepare(guest, rulesWith({ memoryPages: 2 }));
    expect(await preparer.prepare(guest, rulesWith())).not.toBe(first);
  });

  it('remembers no more bytes than it may', async () => {
    const first = await prepareModule(guest, rulesWith());
    const size = first.ok ? (first.module.sandbox.bytes as Uint8Array).length : 0;
    const other = rulesWith({ memoryPages: 2 });
    const roomy = createModulePreparer({ capacityBytes: 2 * size });
    const kept = await roomy.prepare(guest, rulesWith());
    await roomy.prepare(guest, other);
    expect(await roomy.prepare(guest, rulesWith())).toBe(kept);
    const narrow = createModulePreparer({ capacityBytes: 2 * size - 2 });
    const left = await narrow.prepare(guest, rulesWith());
    const last = await narrow.prepare(guest, other);
    expect(await narrow.prepare(guest, other)).toBe(last);
    expect(await narrow.prepare(guest, rulesWith())).not.toBe(left);
  });
});
