import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeadline } from '../../../src/lib/deadline.ts';
import {
  HostMisuse,
  type SandboxModule,
  type SandboxOutcome,
  type SandboxRun,
  type WasmSandbox,
} from '../../../src/ports/wasm-sandbox.ts';
import { RUNTIME_SKIPS } from '../../runtime-skips.ts';
import type { GuestText } from '../../support/guest-wat.ts';
import { HOSTILE_GUESTS } from '../../support/hostile-guests.ts';
import { ECHO, STATEFUL, answersWithBytesOf, asksHost } from '../../support/plain-guests.ts';
import { sandboxRun } from '../../support/sandbox-run.ts';

export type SandboxUnderTest = {
  readonly sandbox: WasmSandbox;
  module(guest: GuestText, memoryPages?: number): Promise<SandboxModule>;
  /** Whether time alone ends a guest that computes. One that waits for its host it ends everywhere. */
  readonly hasDeadlines: boolean;
};

const textOf = (outcome: SandboxOutcome): string =>
  outcome.type === 'output' ? new TextDecoder().decode(outcome.bytes) : JSON.stringify(outcome);

/** What every sandbox does, whatever runs it. */
export const describeWasmSandbox = (name: string, open: () => Promise<SandboxUnderTest>): void => {
  describe(`WebAssembly sandbox: ${name}`, () => {
    let opened: SandboxUnderTest;
    let echo: SandboxModule;
    beforeAll(async () => {
      opened = await open();
      echo = await opened.module(ECHO);
    });
    afterAll(() => opened.sandbox.close());

    const run = (module: SandboxModule, changes: Partial<SandboxRun> = {}): Promise<SandboxOutcome> =>
      opened.sandbox.run(sandboxRun(module, changes));

    it('gives the guest its input and takes its output', async () => {
      const text = 'the quick brown fox, 敏捷的棕色狐狸 🦊';
      const outcome = await run(echo, { input: new TextEncoder().encode(text) });
      expect(textOf(outcome)).toBe(text);
      expect(outcome.usage).toEqual({ fuel: expect.any(Number) as number, memoryPages: 1, droppedLogBytes: 0 });
      expect(outcome.usage.fuel).toBeGreaterThan(1_000);
    });

    it('spends the same fuel for the same work', async () => {
      const spent = await Promise.all([1, 2, 3].map(async () => (await run(echo)).usage.fuel));
      expect(new Set(spent).size).toBe(1);
      const enough = spent[0]!;
      const limits = { ...sandboxRun(echo).limits, fuel: enough };
      expect(textOf(await run(echo, { limits }))).toBe('hello');
      expect(await run(echo, { limits: { ...limits, fuel: enough - 1 } })).toMatchObject({ fault: 'out-of-fuel' });
    });

    it('gives an empty output to a guest that sets none', async () => {
      const silent = await opened.module({ body: '(func (export "invoke") (result i32) (i32.const 0))' });
      expect(await run(silent)).toMatchObject({ type: 'output', bytes: new Uint8Array() });
    });

    it('keeps nothing from one call to the next', async () => {
      const stateful = await opened.module(STATEFUL);
      for (let call = 0; call < 20; call += 1) {
        // With pauses, so that instances are there ahead of their calls, and without.
        if (call % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        expect(textOf(await run(stateful))).toBe('\u0001\u0001\u0001\u0001');
      }
      const many = await Promise.all(Array.from({ length: 20 }, () => run(stateful)));
      expect(new Set(many.map(textOf))).toEqual(new Set(['\u0001\u0001\u0001\u0001']));
    });

    it.each(HOSTILE_GUESTS)('ends a guest that $name', async ({ ends, output, memory, fuel, ...guest }) => {
      const module = await opened.module({ ...guest, ...(memory === undefined ? {} : { memory }) });
      const deadline = createDeadline({ now: Date.now(), timeoutMs: ends === 'deadline' ? 100 : 20_000 });
      const usual = sandboxRun(module).limits;
      const limits = { ...usual, fuel: fuel ?? usual.fuel };
      const outcome = await run(module, { limits, signal: deadline.signal });
      deadline.dispose();
      if (ends === 'output') expect(textOf(outcome)).toBe(output);
      else if (ends === 'deadline') expect(outcome).toMatchObject({ type: 'stopped', reason: 'timeout' });
      else expect(outcome).toMatchObject({ type: 'fault', fault: ends, message: expect.stringMatching(/./) as string });
      expect(textOf(await run(echo))).toBe('hello');
    });

    it('ends a guest at its deadline that has fuel for days', async (context) => {
      if (!opened.hasDeadlines) context.skip(RUNTIME_SKIPS.deadlines.reason);
      const endless = { body: '(func (export "invoke") (result i32) (loop $again (br $again)) (i32.const 0))' };
      const deadline = createDeadline({ now: Date.now(), timeoutMs: 100 });
      const limits = { ...sandboxRun(echo).limits, fuel: Number.MAX_SAFE_INTEGER };
      const outcome = await run(await opened.module(endless), { limits, signal: deadline.signal });
      deadline.dispose();
      expect(outcome).toMatchObject({ type: 'stopped', reason: 'timeout' });
    });

    it('settles at once a run that is cancelled while it waits for its host', async () => {
      const cancelling = new AbortController();
      const asked = Promise.withResolvers<AbortSignal>();
      const host = {
        refusalOf: () => null,
        // It heeds no signal: the run must end all the same.
        call: (_: unknown, signal: AbortSignal) => (asked.resolve(signal), new Promise<never>(() => undefined)),
      };
      const running = run(await opened.module(asksHost('kv_get', '{}')), { host, signal: cancelling.signal });
      const told = await asked.promise;
      cancelling.abort();
      expect(await running).toMatchObject({ type: 'stopped', reason: 'cancelled' });
      expect(told.aborted).toBe(true);
      expect(textOf(await run(echo))).toBe('hello');
    });

    it('tells what a guest said when it failed', async () => {
      const guest = HOSTILE_GUESTS.find(({ name: called }) => called === 'fails with a text')!;
      expect(await run(await opened.module(guest))).toMatchObject({ fault: 'guest-error', message: 'no such thing' });
    });

    it('carries a call of a granted function to the host, and its answer and bytes back', async () => {
      const asked: unknown[] = [];
      const outcome = await run(await opened.module(asksHost('http_request', '{"url":"x"}', 'body')), {
        host: {
          refusalOf: () => null,
          call: async (call) => {
            asked.push(call);
            return { ok: { status: 200 }, bytes: new TextEncoder().encode('page').subarray(1) };
          },
        },
      });
      expect(asked).toEqual([
        { name: 'http_request', request: '{"url":"x"}', bytes: new TextEncoder().encode('body') },
      ]);
      expect(textOf(outcome)).toMatch(/^\{"ok":\{"status":200\},"bytes":\{"block":\d+,"length":3\}\}$/);
    });

    it('takes bytes of a host that are part of something larger', async () => {
      const bytes = Buffer.from('<page>').subarray(1, 5);
      const host = { refusalOf: () => null, call: async () => ({ ok: null, bytes }) };
      const outcome = await run(await opened.module(answersWithBytesOf('resource_read', '{}', 4)), { host });
      expect(textOf(outcome)).toBe('page');
    });

    it('gives the guest the error that the host answers with', async () => {
      const error = { code: 'KV_FULL', message: 'there is no room' };
      const host = { refusalOf: () => null, call: async () => ({ error }) };
      const outcome = await run(await opened.module(asksHost('kv_get', '{}')), { host });
      expect(JSON.parse(textOf(outcome))).toEqual({ error });
    });

    it('answers the guest when the host breaks, without telling it why', async () => {
      const host = { refusalOf: () => null, call: () => Promise.reject(new Error('password=hunter2')) };
      const outcome = await run(await opened.module(asksHost('kv_get', '{}')), { host });
      expect(JSON.parse(textOf(outcome))).toEqual({
        error: { code: 'INTERNAL_ERROR', message: 'kv_get failed inside the server' },
      });
    });

    it('ends the run when the host takes a request for none', async () => {
      const host = { refusalOf: () => null, call: () => Promise.reject(new HostMisuse('its request is no JSON')) };
      const outcome = await run(await opened.module(asksHost('kv_get', '{')), { host });
      expect(outcome).toMatchObject({ fault: 'host-misuse', message: 'its request is no JSON' });
    });

    it('counts what the host hands in against the host memory of the run', async () => {
      const host = { refusalOf: () => null, call: async () => ({ ok: null, bytes: new Uint8Array(20_000_000) }) };
      expect(await run(await opened.module(asksHost('resource_read', '{}')), { host })).toMatchObject({
        fault: 'out-of-host-memory',
      });
    });

    it('keeps log lines up to their limit, and counts the rest', async () => {
      const lines: string[] = [];
      const host = {
        refusalOf: () => null,
        call: async ({ request }: { request: string }) => {
          lines.push(request);
          return { ok: null };
        },
      };
      const body = `(data (i32.const 0) "0123456789")
        (func (export "invoke") (result i32) (local $line i32)
          (loop $again
            (call $log_info (call $block (i32.const 0) (i32.const 10)))
            (br_if $again (i32.lt_u (local.tee $line (i32.add (local.get $line) (i32.const 1))) (i32.const 50))))
          (i32.const 0))`;
      const limits = { ...sandboxRun(echo).limits, logBytes: 10 * (10 + 256) };
      const outcome = await run(await opened.module({ body }), { host, limits });
      expect(outcome).toMatchObject({ type: 'output', usage: { droppedLogBytes: 40 * (10 + 256) } });
      expect(lines).toEqual(Array.from({ length: 10 }, () => '{"level":"info","message":"0123456789"}'));
    });

    it.each([
      ['empty lines', '(call $log_info (i64.add (local.get $block) (i64.const 8)))'],
      ['lines of one byte', '(call $log_info (i64.add (local.get $block) (i64.const 7)))'],
      ['lines that the host is asked for', '(call $free (call $log (local.get $block)))'],
    ])('passes no flood of %s on', async (_, logs) => {
      let lines = 0;
      const host = {
        refusalOf: () => null,
        call: async () => {
          lines += 1;
          return { ok: null };
        },
      };
      const body = `(func (export "invoke") (result i32) (local $block i64)
        (local.set $block (call $alloc (i64.const 8)))
        (loop $again ${logs} (br $again)) (i32.const 0))`;
      const outcome = await run(await opened.module({ body }), { host });
      expect(outcome).toMatchObject({ type: 'fault', fault: 'out-of-fuel' });
      expect(outcome.usage.droppedLogBytes).toBeGreaterThan(100_000);
      // 10,000 bytes of log, of which each line counts at least 256.
      expect(lines).toBeGreaterThan(35);
      expect(lines).toBeLessThan(40);
    });

    it('takes fuel for each line that it passes on', async () => {
      const logging = (times: number) => ({
        body: `(func (export "invoke") (result i32) (local $block i64)
          (local.set $block (call $alloc (i64.const 8)))
          ${'(call $log_info (i64.add (local.get $block) (i64.const 8)))'.repeat(times)} (i32.const 0))`,
      });
      const [few, many] = [await run(await opened.module(logging(1))), await run(await opened.module(logging(11)))];
      expect((many.usage.fuel ?? 0) - (few.usage.fuel ?? 0)).toBeGreaterThan(500_000);
    });

    it('forgets a module and still runs it when it is asked again', async () => {
      opened.sandbox.forget(echo);
      expect(textOf(await run(echo))).toBe('hello');
    });

    it('does not begin a run whose signal has aborted', async () => {
      expect(await run(echo, { signal: AbortSignal.abort() })).toMatchObject({ type: 'stopped', reason: 'cancelled' });
    });
  });
};
