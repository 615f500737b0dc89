import { describe, expect, it } from 'vitest';
import { QueueFull } from '../../../../src/lib/semaphore.ts';
import { TransportError } from '../../../../src/ports/transport.ts';
import type { SandboxFault, SandboxOutcome, SandboxRun } from '../../../../src/ports/wasm-sandbox.ts';
import { callSample, success } from '../../../support/memory-runtime.ts';
import { guestSandbox, output, sandboxModule, scriptedSandbox, USAGE } from '../../../support/scripted-sandbox.ts';
import { transportCall } from '../../../support/transport-call.ts';
import { createWasmRuntime, type WasmRuntimeOptions } from '../../../support/wasm-runtime.ts';

const outcomeOf = (outcome: SandboxOutcome, options: WasmRuntimeOptions = {}) =>
  callSample(createWasmRuntime(scriptedSandbox(() => outcome).sandbox, options));
const fault = (kind: SandboxFault, message = 'what the guest said'): SandboxOutcome => ({
  type: 'fault',
  fault: kind,
  message,
  usage: USAGE,
});
/** Ends when its run is ended, as a real sandbox does. */
const untilStopped = ({ signal }: SandboxRun) =>
  new Promise<SandboxOutcome>((done) => {
    signal.addEventListener('abort', () => done({ type: 'stopped', reason: 'cancelled', usage: USAGE }));
  });

describe('a guest', () => {
  it('is told of its call, with the time, the zone and a seed that it has no other way to know', async () => {
    const { sandbox, runs } = guestSandbox(async ({ input }) => success(input as never));
    const result = await callSample(createWasmRuntime(sandbox), { city: 'Wien' });
    expect(result.data).toMatchObject({
      command: 'Run',
      arguments: { city: 'Wien' },
      context: {
        invocationId: result.execution.invocationId,
        requestId: result.execution.requestId,
        toolName: 'Sample',
        source: 'human',
        actor: null,
        requestIp: null,
        resourceDir: null,
        timeZone: 'Europe/Vienna',
        seed: 4_000_000_000,
      },
    });
    const { context } = result.data as { context: Record<string, string> };
    expect(new Date(context['now'] as string).toISOString()).toBe(context['now']);
    expect(runs[0]?.exportName).toBe('invoke');
  });

  it('is told of its task, which it may hand to a service', async () => {
    const { sandbox } = guestSandbox(async ({ input }) => {
      const { task } = (input as unknown as { context: { task: { id: string } } }).context;
      return { status: 'accepted', data: task, task: { id: task.id, state: 'running' } };
    });
    const result = await callSample(createWasmRuntime(sandbox, { fields: { pluginType: 'asynchronous' } }));
    const id = result.task!.id;
    expect(result).toMatchObject({
      status: 'accepted',
      task: { state: 'running' },
      data: { id, callbackUrl: `https://vcp.example/plugin-callback/Sample/${id}` },
    });
    expect(Object.keys(result.data as object).toSorted()).toEqual(['callbackUrl', 'id', 'token']);
  });

  it('gets what its manifest asks for, and no more than the server allows', async () => {
    const limits = {
      wasmFuel: 5_000,
      wasmMemoryPages: 50,
      wasmHostBytes: 9_000,
      wasmOutputBytes: 800,
      wasmLogBytes: 70,
    };
    const limitsFor = async (asked?: object) => {
      const { sandbox, runs } = scriptedSandbox(() => output(success(1)));
      await callSample(createWasmRuntime(sandbox, { limits, fields: asked === undefined ? {} : { limits: asked } }));
      return runs[0]?.limits;
    };
    expect(await limitsFor()).toEqual({
      fuel: 5_000,
      memoryPages: 50,
      hostBytes: 9_000,
      outputBytes: 800,
      logBytes: 70,
    });
    expect(await limitsFor({ fuel: 10, memoryPages: 2, outputBytes: 30, logBytes: 0 })).toEqual({
      fuel: 10,
      memoryPages: 2,
      hostBytes: 9_000,
      outputBytes: 30,
      logBytes: 0,
    });
    expect(await limitsFor({ fuel: 9e9, memoryPages: 60_000, outputBytes: 9e9, logBytes: 9e9 })).toMatchObject({
      fuel: 5_000,
      memoryPages: 50,
      outputBytes: 800,
      logBytes: 70,
    });
  });
});

describe('a run that came to nothing', () => {
  it.each<[SandboxFault, string, string, Record<string, unknown>, string]>([
    ['out-of-fuel', 'timeout', 'TOOL_TIMEOUT', { limit: 'fuel', fuel: 20_000_000_000 }, '20000000000'],
    ['out-of-memory', 'error', 'INTERNAL_ERROR', { limit: 'memoryPages', memoryPages: 1_024 }, '1024 pages'],
    ['out-of-host-memory', 'error', 'INTERNAL_ERROR', { limit: 'hostBytes', hostBytes: 67_108_864 }, '67108864'],
    ['stack-overflow', 'error', 'INTERNAL_ERROR', { limit: 'stack' }, 'too deep'],
    ['output-too-large', 'error', 'INVALID_TOOL_RESULT', { limit: 'outputBytes', outputBytes: 16_777_216 }, '16777216'],
    ['trap', 'error', 'INTERNAL_ERROR', {}, 'what the guest said'],
    ['missing-export', 'error', 'INTERNAL_ERROR', {}, 'what the guest said'],
    ['guest-error', 'error', 'INTERNAL_ERROR', {}, 'what the guest said'],
    ['host-misuse', 'error', 'INTERNAL_ERROR', {}, 'what the guest said'],
    ['sandbox-lost', 'error', 'TRANSPORT_FAILURE', {}, 'lost'],
  ])('by %s is told as %s %s', async (kind, status, code, details, message) => {
    const result = await outcomeOf(fault(kind));
    expect(result.status).toBe(status);
    expect(result.error).toMatchObject({ code, retryable: kind === 'sandbox-lost' });
    expect(result.error?.details).toEqual({ fault: kind, ...details });
    expect(result.error?.message).toContain(message);
    if (status === 'timeout') expect(result.error?.category).toBe('timeout');
  });

  it('names the limit of the manifest, where that was the tighter one', async () => {
    const result = await outcomeOf(fault('out-of-fuel'), { fields: { limits: { fuel: 77 } } });
    expect(result.error?.details).toEqual({ fault: 'out-of-fuel', limit: 'fuel', fuel: 77 });
    expect(result.error?.message).toBe(
      'the plugin used up its fuel of 77 instructions; ' +
        "limits.fuel of its manifest says so, which may be as high as the server's VCP_LIMIT_WASM_FUEL",
    );
  });

  it.each<[SandboxFault, string]>([
    ['out-of-fuel', 'VCP_LIMIT_WASM_FUEL'],
    ['out-of-memory', 'VCP_LIMIT_WASM_MEMORY_PAGES'],
    ['out-of-host-memory', 'VCP_LIMIT_WASM_HOST_BYTES'],
    ['output-too-large', 'VCP_LIMIT_WASM_OUTPUT_BYTES'],
  ])('by %s names the setting of the server, where that was the tighter one', async (kind, setting) => {
    const result = await outcomeOf(fault(kind), { fields: { limits: { fuel: 90_000_000_000 } } });
    expect(result.error?.message).toMatch(new RegExp(`; the operator of the server may raise it with ${setting}$`));
  });

  it('quotes no more of a guest than a reader takes', async () => {
    const result = await outcomeOf(fault('guest-error', '\uD83D\uDE00'.repeat(5_000)));
    expect(result.error?.message.length).toBeLessThan(2_100);
    expect(result.error?.message.isWellFormed()).toBe(true);
  });

  it('is tried again when the sandbox was lost and the command may be repeated', async () => {
    const outcomes = [fault('sandbox-lost'), output(success('second'))];
    const { sandbox } = scriptedSandbox(() => outcomes.shift() as SandboxOutcome);
    const result = await callSample(createWasmRuntime(sandbox, { command: { idempotent: true } }));
    expect(result).toMatchObject({ status: 'success', data: 'second', execution: { attempt: 2 } });
  });

  it('is not tried again when it used up its fuel', async () => {
    const { sandbox, runs } = scriptedSandbox(() => fault('out-of-fuel'));
    await callSample(createWasmRuntime(sandbox, { command: { idempotent: true } }));
    expect(runs).toHaveLength(1);
  });

  it('says that too many runs wait', async () => {
    const { sandbox } = scriptedSandbox(() => Promise.reject(new QueueFull('3 are waiting')));
    expect((await callSample(createWasmRuntime(sandbox))).error).toMatchObject({
      code: 'VCP.OVERLOADED',
      retryable: true,
    });
  });
});

describe('an output', () => {
  it.each<[string, Uint8Array, RegExp, string]>([
    ['nothing', new Uint8Array(), /no output/, ''],
    ['what is no UTF-8', new Uint8Array([0x7b, 0xff, 0x0a]), /not UTF-8/, '{\uFFFD\uFFFD'],
    ['what is no JSON', new TextEncoder().encode(`hello ${'x'.repeat(100)}`), /not JSON/, `hello ${'x'.repeat(74)}…`],
    ['a key that is never accepted', new TextEncoder().encode('{"__proto__":1}'), /never accepted/, '{"__proto__":1}'],
    ['too deep a value', new TextEncoder().encode('['.repeat(100)), /deeper/, `${'['.repeat(80)}…`],
  ])('of %s is refused with its first bytes', async (_, bytes, message, excerpt) => {
    const result = await outcomeOf({ type: 'output', bytes, usage: USAGE });
    expect(result.error).toMatchObject({ code: 'INVALID_TOOL_RESULT', details: { firstOffendingOutput: excerpt } });
    expect(result.error?.message).toMatch(message);
  });

  it('may hold so many values, which are counted before they are read', async () => {
    const of = (values: number) =>
      outcomeOf(output(success(Array.from({ length: values }, () => 0))), { limits: { wasmOutputNodes: 1_000 } });
    expect((await of(900)).status).toBe('success');
    const result = await of(1_000);
    expect(result.error).toMatchObject({ code: 'INVALID_TOOL_RESULT' });
    expect(result.error?.message).toContain('has more than 1000 values');
  });

  it('may be as deep as the data of other plugins', async () => {
    const data = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) as unknown;
    expect((await outcomeOf(output(success(data)))).status).toBe('success');
  });

  it('that is JSON and no payload is refused by the same rules as that of others', async () => {
    expect((await outcomeOf(output({ status: 'fine' }))).error?.code).toBe('INVALID_TOOL_RESULT');
  });

  it('tells of log lines that the sandbox dropped', async () => {
    const dropped = { ...USAGE, droppedLogBytes: 123 };
    const result = await outcomeOf({ ...output(success(1)), usage: dropped } as SandboxOutcome);
    expect(result.warnings).toEqual([
      {
        code: 'LOG_TRUNCATED',
        message: 'the plugin logged more than 65536 bytes; 123 bytes were dropped',
        target: null,
        details: { limit: 'logBytes', logBytes: 65_536, droppedBytes: 123 },
      },
    ]);
    const failed = await outcomeOf({ ...fault('trap'), usage: dropped } as SandboxOutcome);
    expect(failed.error?.details).toEqual({ fault: 'trap', droppedLogBytes: 123 });
  });
});

describe('a call that is ended', () => {
  it('by its deadline is a timeout that names it', async () => {
    const { sandbox } = scriptedSandbox(untilStopped);
    const fields = { communication: { protocol: 'direct', timeoutMs: 30 } };
    const result = await callSample(createWasmRuntime(sandbox, { fields }));
    expect(result).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT', details: { limit: 'timeoutMs', timeoutMs: 30 } },
    });
  });

  it('by its caller settles at once, also where the sandbox does not', async () => {
    const { sandbox } = scriptedSandbox(() => new Promise(() => undefined));
    const controller = new AbortController();
    const calling = callSample(createWasmRuntime(sandbox), {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    expect(await calling).toMatchObject({ status: 'cancelled', error: { code: 'TOOL_CANCELLED' } });
  });

  it('while its module loads does not wait for that', async () => {
    const { sandbox, runs } = scriptedSandbox(() => output(success(1)));
    const parts = { modules: { load: () => new Promise<never>(() => undefined) } };
    const fields = { communication: { protocol: 'direct', timeoutMs: 30 } };
    expect((await callSample(createWasmRuntime(sandbox, { parts, fields }))).status).toBe('timeout');
    expect(runs).toEqual([]);
  });
});

describe('a module', () => {
  it.each([
    [new Error('it imports wasi'), 'INTERNAL_ERROR', "the plugin's module failed to load: it imports wasi"],
    [new TransportError('FORBIDDEN', 'not this one'), 'FORBIDDEN', 'not this one'],
  ])('that does not load (%s) fails its call', async (thrown, code, message) => {
    const { sandbox } = scriptedSandbox(() => output(success(1)));
    const parts = { modules: { load: () => Promise.reject(thrown) } };
    expect((await callSample(createWasmRuntime(sandbox, { parts }))).error).toMatchObject({ code, message });
  });

  it('is forgotten with the last version of a plugin that runs it, and not before', async () => {
    const { sandbox, forgotten } = scriptedSandbox(() => output(success(1)));
    const { transport, registry } = createWasmRuntime(sandbox);
    const definition = registry.get('Sample')!;
    const [old, next] = [{ ...definition }, { ...definition }];
    await transport.execute(transportCall(old));
    await transport.execute(transportCall(next));
    transport.retire?.(old);
    expect(forgotten).toEqual([]);
    transport.retire?.(next);
    expect(forgotten).toEqual([sandboxModule().digest]);
  });

  it('of a version that is retired during its call is forgotten after it', async () => {
    let finish: (outcome: SandboxOutcome) => void = () => undefined;
    const { sandbox, forgotten } = scriptedSandbox(() => new Promise((done) => (finish = done)));
    const { transport, registry } = createWasmRuntime(sandbox);
    const plugin = { ...registry.get('Sample')! };
    const running = transport.execute(transportCall(plugin));
    await new Promise((done) => setTimeout(done, 5));
    transport.retire?.(plugin);
    expect(forgotten).toEqual([]);
    finish(output(success(1)));
    await running;
    expect(forgotten).toEqual([sandboxModule().digest]);
  });

  it('has its threads counted once for all tools', () => {
    const { transport } = createWasmRuntime(scriptedSandbox(() => output(success(1))).sandbox);
    expect(transport.stats?.()).toEqual([{ toolName: '', mode: 'wasm', processes: 3, idle: 2, recycled: 5 }]);
  });
});
