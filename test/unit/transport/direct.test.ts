import { describe, expect, it } from 'vitest';
import { createDirectTransport, type DirectContext } from '../../../src/transport/direct/direct-transport.ts';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { manifest, MAGIC } from '../../support/sample-values.ts';

type Module = (args: Record<string, unknown>, context: DirectContext) => unknown;

const withModule = (processToolCall: Module, options: MemoryRuntimeOptions = {}) =>
  createMemoryRuntime({
    ...options,
    transport: createDirectTransport(
      { load: async () => ({ processToolCall: processToolCall as never }) },
      { jsonDepth: 16, jsonNodes: 1_000 },
    ),
  });
const call = (module: Module, options: MemoryRuntimeOptions = {}, more: Parameters<typeof callSample>[2] = {}) =>
  callSample(withModule(module, options), {}, more);

describe('a module in this process', () => {
  it('answers with a payload, at once or later', async () => {
    expect(await call(() => success({ a: 1 }))).toMatchObject({ status: 'success', data: { a: 1 } });
    expect(await call(async () => success({ a: 2 }))).toMatchObject({ data: { a: 2 } });
  });

  it('is told of its call', async () => {
    let seen: DirectContext | null = null;
    const result = await call((_, context) => {
      seen = context;
      return success(null);
    });
    expect(seen).toMatchObject({
      invocationId: result.execution.invocationId,
      requestId: result.execution.requestId,
      command: 'Run',
      requestIp: null,
      source: 'human',
      actor: null,
    });
    expect(Object.keys(seen ?? {})).toContain('signal');
  });

  it.each<[string, unknown, string]>([
    ['a date', { status: 'success', data: { at: new Date(0) } }, '/data/at'],
    ['NaN', { status: 'success', data: [Number.NaN] }, '/data/0'],
    ['a function', { status: 'success', data: null, extensions: { 'a.b': () => 1 } }, '/extensions/a.b'],
    ['undefined', { status: 'success', data: null, error: undefined }, '/error'],
    ['an error of its own', new Error('x'), ''],
  ])('may not answer with %s', async (_, answer, pointer) => {
    const result = await call(() => answer);
    expect(result.error).toMatchObject({ code: 'INVALID_TOOL_RESULT', category: 'protocol', details: { pointer } });
  });

  it('may work on behind its answer, and is told of all that goes wrong there without an exception', async () => {
    const calls = createMemoryCallStore();
    const locked = async () => {
      throw new Error('database is locked');
    };
    let context: DirectContext | null = null;
    const parts = withModule(
      (_, given) => {
        context = given;
        return { status: 'accepted', data: null, task: { id: given.task?.id, state: 'running' } };
      },
      { manifests: [asyncManifest()], calls: { ...calls, settleTask: locked } },
    );
    expect(await callSample(parts)).toMatchObject({ status: 'accepted' });
    const { task } = context as unknown as DirectContext;
    // Each of these would be raised where nobody catches it.
    for (const given of [null, undefined, 5, 'half', { progress: Number.NaN }, { progress: 0.5 }])
      task?.progress(given as object);
    expect(await task?.finish(finalPayload())).toMatchObject({ ok: false, code: 'INTERNAL_ERROR', issues: [] });
    expect(parts.logged.map(({ event }) => event)).toContain('task.not-ended');
  });

  it('may not answer with something that refers to itself', async () => {
    const loop: Record<string, unknown> = { status: 'success' };
    loop['data'] = loop;
    expect((await call(() => loop)).error?.code).toBe('INVALID_TOOL_RESULT');
  });

  it('keeps what it returned without a hold on the result', async () => {
    const kept = { rows: [1] };
    const parts = withModule(() => success(kept));
    const result = await callSample(parts);
    kept.rows.push(2);
    expect(result.data).toEqual({ rows: [1] });
    expect(Object.isFrozen(kept.rows)).toBe(false);
  });

  it.each<[string, Module]>([
    [
      'throws',
      () => {
        throw new RangeError('out of range');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('out of range'))],
  ])('that %s has failed, with its message', async (_, module) => {
    expect((await call(module)).error).toMatchObject({
      code: 'INTERNAL_ERROR',
      category: 'runtime',
      message: 'the plugin failed: out of range',
      details: { thrown: 'RangeError' },
    });
  });

  it('that fails with text or nothing has failed too', async () => {
    const text: unknown = 'text';
    expect((await call(() => Promise.reject(text as Error))).error).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: 'the plugin failed: text',
    });
    expect((await call(() => Promise.reject())).error).toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it('that hangs is not waited for', async () => {
    const slow = manifest({ communication: { protocol: 'direct', timeoutMs: 20 } });
    const result = await call(() => new Promise(() => undefined), { manifests: [slow] });
    expect([result.status, result.error?.code]).toEqual(['timeout', 'TOOL_TIMEOUT']);
  });

  it('that heeds its signal is told when to stop', async () => {
    const caller = new AbortController();
    let stopped = false;
    const pending = call(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(new Error('stopped'));
          }),
        ),
      {},
      { signal: caller.signal },
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    caller.abort();
    expect([(await pending).error?.code, stopped]).toEqual(['TOOL_CANCELLED', true]);
  });

  it('leaves resources through its writer', async () => {
    const result = await call(async (_, { resourceWriter }) => {
      const resourceId = await resourceWriter.write(Uint8Array.from(MAGIC.png), { fileName: 'a.png' });
      return success({ image: { $resource: 'a' } }, { resources: [{ id: 'a', resourceId }] });
    });
    expect(result.resources[0]).toMatchObject({ mimeType: 'image/png', fileName: 'a.png', sizeBytes: 33 });
    expect(result.data).toEqual({ image: { $resource: result.resources[0]?.id } });
  });

  it('may not use a resource of someone else', async () => {
    const parts = withModule((args) => success(null, { resources: [{ id: 'a', resourceId: args['id'] }] }));
    const seed = createMemoryRuntime({
      calls: parts.calls,
      blobs: parts.blobs,
      answer: () => success(null, { resources: [{ id: 'a', base64: 'AAAA' }] }),
    });
    const mine = await callSample(seed);
    const id = mine.resources[0]?.id ?? '';
    expect((await callSample(parts, { id })).status).toBe('success');
    const other = await parts.runtime.execute({
      toolName: 'Sample',
      arguments: { id },
      context: { source: 'human', owner: 'bob' },
    });
    expect(other.error?.code).toBe('FILE_NOT_FOUND');
  });
});
