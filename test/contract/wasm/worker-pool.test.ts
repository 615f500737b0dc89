// What only a sandbox of threads does: it ends them, replaces them, and leaves none behind.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkerSandbox, type WorkerSandboxOptions } from '../../../adapters/node/wasm/worker-sandbox.ts';
import { createDeadline } from '../../../src/lib/deadline.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { QueueFull } from '../../../src/lib/semaphore.ts';
import type { SandboxRun, WasmSandbox } from '../../../src/ports/wasm-sandbox.ts';
import { HOSTILE_GUESTS } from '../../support/hostile-guests.ts';
import { repositoryRoot } from '../../support/manifest.ts';
import { ECHO, asksHost } from '../../support/plain-guests.ts';
import { sandboxModule } from '../../support/sandbox-module.ts';
import { sandboxRun } from '../../support/sandbox-run.ts';
import { RUNTIME_SKIPS } from '../../runtime-skips.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const IS_DENO = 'Deno' in globalThis;
const IS_LINUX = process.platform === 'linux';

const opened: WasmSandbox[] = [];
const open = (limits: Partial<WorkerSandboxOptions['limits']> = {}): WasmSandbox => {
  const sandbox = createWorkerSandbox({ limits: { ...DEFAULT_LIMITS, ...limits }, logger: silentLogger });
  opened.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sandbox) => sandbox.close()));
});

const echo = await sandboxModule(ECHO);
const endless = await sandboxModule({ body: '(func (export "invoke") (result i32) (loop $a (br $a)) (i32.const 0))' });
const holding = await sandboxModule(asksHost('resource_read', '{}'));
const PLENTY = { ...sandboxRun(echo).limits, fuel: Number.MAX_SAFE_INTEGER };

const answers = async (sandbox: WasmSandbox, changes: Partial<SandboxRun> = {}) => {
  const outcome = await sandbox.run(sandboxRun(echo, changes));
  return outcome.type === 'output' && new TextDecoder().decode(outcome.bytes);
};
/** Threads of this process; each runtime has some of its own. */
const threads = (): number => readdirSync('/proc/self/task').length;
const residentBytes = (): number => process.memoryUsage().rss;

describe('a pool of sandbox threads', () => {
  it('starts nothing before the first run, and keeps one thread ready after it', async () => {
    const sandbox = open();
    expect(sandbox.stats()).toEqual({ workers: 0, idle: 0, recycled: 0 });
    for (let call = 0; call < 2; call += 1) {
      expect(await answers(sandbox)).toBe('hello');
      // The thread of a run is ready again when the next instance is made.
      await expect.poll(() => sandbox.stats()).toEqual({ workers: 2, idle: 2, recycled: 0 });
    }
  });

  it.each([
    ['computes', endless],
    ['waits for its host', holding],
  ])('settles a run at once when it is cancelled while it %s', async (_, module) => {
    const sandbox = open();
    await answers(sandbox);
    const controller = new AbortController();
    const heard = Promise.withResolvers<AbortSignal>();
    const host = {
      refusalOf: () => null,
      call: (__: unknown, signal: AbortSignal) => {
        heard.resolve(signal);
        return new Promise<never>(() => undefined);
      },
    };
    const running = sandbox.run(sandboxRun(module, { limits: PLENTY, signal: controller.signal, host }));
    if (module === holding) await heard.promise;
    else await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort();
    expect(await running).toEqual({
      type: 'stopped',
      reason: 'cancelled',
      usage: { fuel: null, memoryPages: null, droppedLogBytes: 0 },
    });
    if (module === holding) expect((await heard.promise).aborted).toBe(true);
    expect(await answers(sandbox)).toBe('hello');
    expect(sandbox.stats().recycled).toBe(1);
  });

  it('leaves calls beside a hostile one alone', async () => {
    const sandbox = open({ wasmWorkers: 3 });
    const deadline = createDeadline({ now: Date.now(), timeoutMs: 500 });
    const hostile = sandbox.run(sandboxRun(endless, { limits: PLENTY, signal: deadline.signal }));
    for (let call = 0; call < 20; call += 1) expect(await answers(sandbox)).toBe('hello');
    expect(await hostile).toMatchObject({ type: 'stopped', reason: 'timeout' });
    deadline.dispose();
  });

  it('has a thread for others however many endless calls of one plugin there are', async () => {
    const sandbox = open({ wasmWorkers: 3 });
    const controller = new AbortController();
    const hostile = Array.from({ length: 12 }, () =>
      sandbox.run(sandboxRun(endless, { limits: PLENTY, signal: controller.signal })),
    );
    for (let call = 0; call < 5; call += 1) expect(await answers(sandbox)).toBe('hello');
    controller.abort();
    for (const outcome of await Promise.all(hostile)) expect(outcome.type).toBe('stopped');
  });

  it('lends no thread in which a module starts still, and ends one that takes too long for that', async () => {
    const sandbox = open({ wasmWorkers: 3 });
    // Some seconds, and all the same for the call itself.
    const slow = await sandboxModule(
      {
        body: `(func $start (local $n i32) (local $x f64)
            (loop $next
              (local.set $x (f64.sqrt (f64.add (local.get $x) (f64.const 1.7e200))))
              (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 250000000))))
            (global.set $result (local.get $x)))
          (global $result (mut f64) (f64.const 0))
          (start $start)
          (func (export "invoke") (result i32) (i32.const 0))`,
      },
      64,
      { startFuel: Number.MAX_SAFE_INTEGER },
    );
    expect((await sandbox.run(sandboxRun(slow))).type).toBe('output');
    for (let call = 0; call < 5; call += 1) expect(await answers(sandbox)).toBe('hello');
    await expect.poll(() => sandbox.stats().recycled, { timeout: 20_000 }).toBe(1);
    // It was slow once: nothing is made ahead of its calls any more.
    expect((await sandbox.run(sandboxRun(slow))).type).toBe('output');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(sandbox.stats().recycled).toBe(1);
  }, 60_000);

  it('hears of a stop in whichever moment it comes', async () => {
    const sandbox = open();
    // Compiled from here on: the moments below are those of handing the run over.
    expect(await sandbox.run(sandboxRun(endless))).toMatchObject({ fault: 'out-of-fuel' });
    for (let moment = 0; moment < 24; moment += 1) {
      const controller = new AbortController();
      const running = sandbox.run(sandboxRun(endless, { limits: PLENTY, signal: controller.signal }));
      for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
      controller.abort();
      expect({ moment, type: (await running).type }).toEqual({ moment, type: 'stopped' });
    }
    expect(await answers(sandbox)).toBe('hello');
  });

  it('is not harmed by a module that calls something else its memory', async () => {
    const sandbox = open();
    const odd = await sandboxModule({
      memory: '(memory $own 1) (global (export "memory") i32 (i32.const 7))',
      body: '(func (export "invoke") (result i32) (i32.const 0))',
    });
    const outcome = await sandbox.run(sandboxRun(odd));
    expect(outcome).toMatchObject({ type: 'output', usage: { memoryPages: 1 } });
    expect(sandbox.stats().recycled).toBe(0);
  });

  it('runs no more at once than it may, and lets no more wait than may', async () => {
    const sandbox = open({ wasmWorkers: 1, wasmQueuedRuns: 1 });
    const controller = new AbortController();
    const running = sandbox.run(sandboxRun(holding, { signal: controller.signal }));
    const waiting = answers(sandbox);
    await expect(answers(sandbox)).rejects.toBeInstanceOf(QueueFull);
    controller.abort();
    expect([(await running).type, await waiting]).toEqual(['stopped', 'hello']);
  });

  it('lets a run that waits for its turn be cancelled', async () => {
    const sandbox = open({ wasmWorkers: 1 });
    const first = new AbortController();
    const running = sandbox.run(sandboxRun(holding, { signal: first.signal }));
    const controller = new AbortController();
    const waiting = sandbox.run(sandboxRun(echo, { signal: controller.signal }));
    controller.abort();
    expect(await waiting).toMatchObject({ type: 'stopped', reason: 'cancelled' });
    first.abort();
    await running;
  });

  it('replaces a thread after as many runs as it may have', async () => {
    const sandbox = open({ wasmWorkerRuns: 3 });
    for (let call = 0; call < 12; call += 1) expect(await answers(sandbox)).toBe('hello');
    expect(sandbox.stats().recycled).toBeGreaterThanOrEqual(2);
    // One that makes an instance, one that runs, one to spare.
    expect(sandbox.stats().workers).toBeLessThanOrEqual(3);
  });

  it('ends threads that nobody needs, but for one', async () => {
    const sandbox = open({ wasmIdleMs: 500, wasmWorkers: 4 });
    await Promise.all(Array.from({ length: 4 }, () => answers(sandbox)));
    expect(sandbox.stats().workers).toBeGreaterThan(1);
    await expect.poll(() => sandbox.stats().workers, { timeout: 20_000 }).toBe(1);
    expect(await answers(sandbox)).toBe('hello');
  });

  it('loses only the run whose thread dies', async (context) => {
    if (IS_DENO) context.skip(RUNTIME_SKIPS.heapOfThreads.reason);
    const sandbox = open({ wasmWorkers: 2 });
    // Far more small blocks than the defaults allow: they fill the thread's own heap.
    const blocks = await sandboxModule({
      body: '(func (export "invoke") (result i32) (loop $a (drop (call $alloc (i64.const 1))) (br $a)) (i32.const 0))',
    });
    const limits = { ...PLENTY, hostBytes: 64 * 1024 ** 3 };
    const beside = answers(sandbox);
    expect(await sandbox.run(sandboxRun(blocks, { limits }))).toMatchObject({ type: 'fault', fault: 'sandbox-lost' });
    expect([await beside, await answers(sandbox)]).toEqual(['hello', 'hello']);
    expect(sandbox.stats().recycled).toBe(1);
  });

  it('ends all threads when it is closed, running ones too', async () => {
    const before = IS_LINUX ? threads() : 0;
    const sandbox = open({ wasmWorkers: 3 });
    await Promise.all(Array.from({ length: 3 }, () => answers(sandbox)));
    const running = sandbox.run(sandboxRun(endless, { limits: PLENTY }));
    await answers(sandbox);
    await sandbox.close();
    expect(sandbox.stats()).toMatchObject({ workers: 0, idle: 0 });
    expect(await running).toMatchObject({ type: 'fault', fault: 'sandbox-lost' });
    expect(await sandbox.run(sandboxRun(echo))).toMatchObject({ type: 'fault', fault: 'sandbox-lost' });
    if (IS_LINUX) await expect.poll(threads, { timeout: 20_000 }).toBeLessThanOrEqual(before + 2);
  });

  it('does not keep the process alive by threads that wait', async () => {
    const program = join(repositoryRoot, 'test', 'fixtures', 'run-sandbox-once.ts');
    const args = IS_DENO ? ['run', '-A', program] : [program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repositoryRoot, timeout: 20_000 });
    expect(stdout.trim()).toBe('output 2');
  });

  it('keeps the memory of the process near the caps of its runs', { timeout: 120_000 }, async () => {
    const sandbox = open();
    const large = await sandboxModule(
      {
        body: `(func (export "invoke") (result i32)
          (drop (memory.grow (i32.const 1000)))
          (memory.fill (i32.const 0) (i32.const 1) (i32.const 65000000))
          (i32.const 0))`,
      },
      1_024,
    );
    const before = residentBytes();
    let peak = 0;
    const limits = { ...sandboxRun(echo).limits, fuel: 1_000_000_000 };
    for (let call = 0; call < 30; call += 1) {
      expect((await sandbox.run(sandboxRun(large, { limits }))).type).toBe('output');
      peak = Math.max(peak, residentBytes());
    }
    // Thirty of them would be two gigabytes.
    expect(peak - before).toBeLessThan(600 * 1024 * 1024);
  });

  it('leaves nothing behind after 200 hostile calls in a row', { timeout: 120_000 }, async () => {
    const sandbox = open();
    await answers(sandbox);
    const guests = HOSTILE_GUESTS.filter(({ name }) => name !== 'floods the host with calls');
    const modules = await Promise.all(guests.map((guest) => sandboxModule(guest)));
    const limits = { ...sandboxRun(echo).limits, fuel: 20_000_000 };
    const round = async (calls: number) => {
      for (let call = 0; call < calls; call += 1) {
        const module = modules[call % modules.length]!;
        const { ends } = guests[call % modules.length]!;
        const deadline = createDeadline({ now: Date.now(), timeoutMs: ends === 'deadline' ? 30 : 10_000 });
        const outcome = await sandbox.run(sandboxRun(module, { limits, signal: deadline.signal }));
        deadline.dispose();
        expect(outcome).not.toMatchObject({ fault: 'sandbox-lost' });
      }
    };
    await round(modules.length);
    const before = { threads: IS_LINUX ? threads() : 0, bytes: residentBytes() };
    await round(200);
    expect(await answers(sandbox)).toBe('hello');
    // One that makes an instance, one that runs, one to spare.
    expect(sandbox.stats().workers).toBeLessThanOrEqual(3);
    if (IS_LINUX) await expect.poll(threads, { timeout: 20_000 }).toBeLessThanOrEqual(before.threads + 3);
    expect(residentBytes() - before.bytes).toBeLessThan(256 * 1024 * 1024);
  });
});
