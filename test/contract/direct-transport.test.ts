import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { PluginLocation } from '../../src/ports/transport.ts';
import { createToolRegistry } from '../../src/registry/tool-registry.ts';
import {
  createDirectTransport,
  type DirectContext,
  type DirectModule,
} from '../../src/transport/direct/direct-transport.ts';
import { foundManifest } from '../support/manifest.ts';
import { transportCall, type CallOptions } from '../support/transport-call.ts';
import { describeTransport, type Behaviour } from './suites/transport.ts';

const plugin: PluginLocation = createToolRegistry([foundManifest({ name: 'Module', module: 'main.mjs' })]).list()[0]!;

const nested = (levels: number): unknown => {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
};

const behaviours: Record<Behaviour, DirectModule['processToolCall']> = {
  echo: async (args) => ({ status: 'success', data: args }),
  error: () => ({
    status: 'error',
    data: null,
    error: { code: 'TEST.REPORTED', message: 'as reported', details: { kept: true } },
  }),
  crash: () => {
    throw new RangeError('fell over');
  },
  progress: async (_args, { progressReporter }) => {
    progressReporter.report({ stage: 'half', progress: 0.5 });
    progressReporter.report({ message: 'almost' });
    return { status: 'success', data: null };
  },
  hang: () => new Promise(() => undefined),
  'hang-heeding': (_args, { signal }) => sleep(600_000, undefined, { signal }),
  nothing: () => undefined,
  proto: () => JSON.parse('{"status":"success","data":{"__proto__":{}}}') as unknown,
  deep: () => nested(5_000),
};

describeTransport('direct', async () => {
  const modules = new Map<PluginLocation, DirectModule>();
  const pluginFor = (behaviour: Behaviour) => {
    const location = { ...plugin };
    modules.set(location, { processToolCall: behaviours[behaviour] });
    return location;
  };
  const transport = createDirectTransport({ load: async (location) => modules.get(location)! }, DEFAULT_LIMITS);
  return { transport, pluginFor, close: () => Promise.resolve() };
});

const run = async (processToolCall: DirectModule['processToolCall'], options: CallOptions = {}) => {
  const call = transportCall(plugin, options);
  try {
    return await createDirectTransport({ load: () => Promise.resolve({ processToolCall }) }, DEFAULT_LIMITS).execute(
      call,
    );
  } finally {
    call.done();
  }
};

/** Throws anything, as JavaScript lets modules do. */
const raise = (anything: unknown): never => {
  throw anything as Error;
};
/** No promise of the language, but one that can be awaited. */
const thenable: object = Object.defineProperty({}, ['th', 'en'].join(''), {
  value: (_resolve: unknown, reject: (reason: Error) => void) => reject(new Error('thenable')),
});

describe('a module that throws', () => {
  it.each<[string, () => unknown, object]>([
    [
      'an error',
      () => {
        throw new RangeError('out of range');
      },
      { code: 'INTERNAL_ERROR', message: 'the plugin failed: out of range', details: { thrown: 'RangeError' } },
    ],
    [
      'later',
      async () => {
        await sleep(5);
        throw new Error('late');
      },
      { message: 'the plugin failed: late' },
    ],
    ['text', () => raise('just text'), { message: 'the plugin failed: just text', details: { thrown: 'string' } }],
    ['undefined', () => raise(undefined), { message: 'the plugin failed: undefined' }],
    [
      'nothing to say',
      () => {
        throw new Error('');
      },
      { message: 'the plugin failed: without a message' },
    ],
    ['a rejection of a thenable', () => thenable, { message: 'the plugin failed: thenable' }],
  ])('%s', async (_what, processToolCall, expected) => {
    await expect(run(processToolCall)).rejects.toMatchObject({ name: 'TransportError', ...expected });
  });

  it('has a message of bounded length', async () => {
    const error: unknown = await run(() => {
      throw new Error('x'.repeat(1_000_000));
    }).catch((reason: unknown) => reason);
    expect((error as Error).message.length).toBeLessThan(2_100);
  });

  it('is stopped, not failed, when its signal made it throw', async () => {
    const controller = new AbortController();
    const heeding = async (_args: unknown, { signal }: DirectContext) => {
      controller.abort();
      signal.throwIfAborted();
    };
    await expect(run(heeding, { signal: controller.signal })).rejects.toMatchObject({
      name: 'CallStopped',
      reason: 'cancelled',
    });
  });
});

const cyclic: Record<string, unknown> = { status: 'success', data: {} };
cyclic['data'] = { inner: [cyclic] };

describe('a structure that JSON cannot carry', () => {
  it.each<[string, unknown, string]>([
    ['undefined', { status: 'success', data: { a: undefined } }, '/data/a'],
    ['NaN', { status: 'success', data: [1, Number.NaN] }, '/data/1'],
    ['infinity', { status: 'success', data: { 'a/b~c': -Infinity } }, '/data/a~1b~0c'],
    ['a bigint', { status: 'success', data: 1n }, '/data'],
    ['a date', { status: 'success', data: { at: new Date(0) } }, '/data/at'],
    ['a map', { status: 'success', data: new Map() }, '/data'],
    ['bytes', { status: 'success', data: new Uint8Array(4) }, '/data'],
    ['a function', { status: 'success', data: { toJSON: () => 1 } }, '/data/toJSON'],
    ['a symbol as a key', { status: 'success', data: { [Symbol('s')]: 1 } }, '/data'],
    [
      'an accessor',
      {
        status: 'success',
        data: {
          get secret() {
            throw new Error('must not run');
          },
        },
      },
      '/data/secret',
    ],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole', { status: 'success', data: [1, , 3] }, '/data/1'],
    ['a lone surrogate', { status: 'success', data: { text: 'a\ud800' } }, '/data/text'],
    ['an object of a class', { status: 'success', data: [new URL('http://127.0.0.1/')] }, '/data/0'],
    ['a promise inside', { status: 'success', data: { later: Promise.resolve(1) } }, '/data/later'],
  ])('is refused with its pointer: %s', async (_what, answer, pointer) => {
    await expect(run(() => answer)).rejects.toMatchObject({ code: 'INVALID_TOOL_RESULT', details: { pointer } });
  });

  it('is refused: a cycle', async () => {
    await expect(run(() => cyclic)).rejects.toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      message: expect.stringContaining('refers to itself') as unknown,
    });
  });

  it('is refused: more values than are allowed', async () => {
    const many = Array.from({ length: 2_000_001 }, () => 0);
    await expect(run(() => ({ status: 'success', data: many }))).rejects.toMatchObject({ code: 'INVALID_TOOL_RESULT' });
  });

  it('is not a value that merely occurs twice', async () => {
    const shared = { n: 1 };
    expect((await run(() => ({ status: 'success', data: [shared, shared] }))).payload).toEqual({
      status: 'success',
      data: [{ n: 1 }, { n: 1 }],
    });
  });
});

describe('a module and its call', () => {
  it('may keep and change what it returned: the result does not change', async () => {
    const answer = { status: 'success', data: { list: [1], inner: { n: 1 } } };
    const { payload } = await run(() => answer);
    answer.data.list.push(2);
    answer.data.inner.n = 99;
    expect(payload).toEqual({ status: 'success', data: { list: [1], inner: { n: 1 } } });
  });

  it('cannot bring its answer in after the deadline', async () => {
    let late = false;
    const slow = async () => {
      await sleep(400);
      late = true;
      return { status: 'success', data: 'late' };
    };
    await expect(run(slow, { timeoutMs: 50 })).rejects.toMatchObject({ name: 'CallStopped', reason: 'timeout' });
    expect(late).toBe(false);
    await sleep(500);
    expect(late).toBe(true);
  });

  it('may fail after the deadline without harm to the process', async () => {
    const unhandled: unknown[] = [];
    const watch = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', watch);
    const slow = async () => {
      await sleep(150);
      throw new Error('too late to matter');
    };
    await expect(run(slow, { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout' });
    await sleep(300);
    process.off('unhandledRejection', watch);
    expect(unhandled).toEqual([]);
  });

  it('ends at the deadline also while the module is still being loaded', async () => {
    const transport = createDirectTransport({ load: () => new Promise(() => undefined) }, DEFAULT_LIMITS);
    const call = transportCall(plugin, { timeoutMs: 100 });
    await expect(Promise.race([transport.execute(call), sleep(5_000, 'still waiting')])).rejects.toMatchObject({
      name: 'CallStopped',
      reason: 'timeout',
    });
    call.done();
  });

  it('are given what §10.2 promises', async () => {
    let seen: DirectContext | undefined;
    const call = transportCall(plugin, {});
    const module: DirectModule = {
      processToolCall: (_args, context) => {
        seen = context;
        return { status: 'success', data: null };
      },
    };
    await createDirectTransport({ load: () => Promise.resolve(module) }, DEFAULT_LIMITS).execute(call);
    call.done();
    const { invocationId, requestId, deadline, signal } = call;
    expect(seen).toMatchObject({
      invocationId,
      requestId,
      deadline,
      command: 'Run',
      source: 'human',
      actor: null,
      requestIp: null,
    });
    expect(seen?.signal).toBe(signal);
    expect(await seen?.resourceWriter.write(new Uint8Array(1))).toMatch(/^res_/);
    expect(seen?.progressReporter.report).toBeTypeOf('function');
  });
});
