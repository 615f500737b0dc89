import { createPlugin } from '@extism/extism';
import { describe, expect, it } from 'vitest';
import { createIsolateSandbox } from '../../adapters/cloudflare/isolate-sandbox.ts';
import { linkGuest } from '../../adapters/cloudflare/link-guest.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { QueueFull } from '../../src/lib/semaphore.ts';
import type { CreatePlugin } from '../../src/sandbox/guest/prepare-guest.ts';
import { describeWasmSandbox } from '../contract/suites/wasm-sandbox.ts';
import { asksHost, ECHO } from '../support/plain-guests.ts';
import { sandboxRun } from '../support/sandbox-run.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { compiledGuest } from '../support/workerd/compiled-guest.ts';

const open = (limits: Partial<Limits> = {}, linker: CreatePlugin = linkGuest) =>
  createIsolateSandbox({ limits: { ...DEFAULT_LIMITS, ...limits }, logger: silentLogger, createPlugin: linker });

describeWasmSandbox('inside the isolate', async () => ({
  sandbox: open({ wasmMemoryPages: 64 }),
  module: compiledGuest,
  hasDeadlines: false,
}));

// What links guests in a worker does as Extism does, which is the measure.
describeWasmSandbox('inside the isolate, linked by Extism', async () => ({
  sandbox: open({ wasmMemoryPages: 64 }, createPlugin as unknown as CreatePlugin),
  module: compiledGuest,
  hasDeadlines: false,
}));

describe('a sandbox without threads', () => {
  it('lets no more guests into memory than there is room for, and no more wait than may', async () => {
    const sandbox = open({ wasmMemoryPages: 512, wasmQueuedRuns: 1 });
    const holding = await compiledGuest(asksHost('resource_read', '{}'));
    const echo = await compiledGuest(ECHO);
    const cancelling = new AbortController();
    const first = sandbox.run(sandboxRun(holding, { signal: cancelling.signal }));
    // A second of the same module waits, since no module takes all the room; another module comes in.
    const second = sandbox.run(sandboxRun(holding, { signal: cancelling.signal }));
    expect(await sandbox.run(sandboxRun(echo))).toMatchObject({ type: 'output' });
    expect(sandbox.stats()).toEqual({ workers: 1, idle: 0, recycled: 0 });
    await expect(sandbox.run(sandboxRun(holding))).rejects.toBeInstanceOf(QueueFull);
    cancelling.abort();
    expect(await Promise.all([first, second])).toMatchObject([{ type: 'stopped' }, { type: 'stopped' }]);
    expect(sandbox.stats()).toEqual({ workers: 0, idle: 0, recycled: 0 });
  });

  it('runs other guests while one waits for its host', async () => {
    const sandbox = open({ wasmMemoryPages: 64 });
    const answer = Promise.withResolvers<{ ok: string }>();
    const host = { refusalOf: () => null, call: () => answer.promise };
    const waiting = sandbox.run(sandboxRun(await compiledGuest(asksHost('kv_get', '{}')), { host }));
    const echo = await compiledGuest(ECHO);
    for (let call = 0; call < 5; call += 1)
      expect(await sandbox.run(sandboxRun(echo))).toMatchObject({ type: 'output' });
    answer.resolve({ ok: 'late' });
    expect(await waiting).toMatchObject({ type: 'output' });
  });

  it('runs nothing that was not compiled at deployment, and nothing once it is closed', async () => {
    const sandbox = open();
    const echo = await compiledGuest(ECHO);
    const bare = { ...echo, compiled: null, bytes: new Uint8Array([0]) };
    expect(await sandbox.run(sandboxRun(bare))).toMatchObject({
      fault: 'sandbox-lost',
      message: 'the module was not compiled when the server was deployed',
    });
    await sandbox.close();
    expect(await sandbox.run(sandboxRun(echo))).toMatchObject({ fault: 'sandbox-lost' });
  });
});
