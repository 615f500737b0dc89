import { describe, expect, it } from 'vitest';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import {
  createMemoryIdempotencyStore,
  type MemoryKeyClaims,
} from '../../../adapters/memory/memory-idempotency-store.ts';
import { raceWithSignal } from '../../../src/lib/deadline.ts';
import { TransportError, type TransportCall } from '../../../src/ports/transport.ts';
import type { Actor, InvocationOptions } from '../../../src/protocol/invocation.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { KeyedOutcome } from '../../../src/runtime/keyed-calls.ts';
import {
  createMemoryRuntime,
  success,
  type MemoryRuntime,
  type MemoryRuntimeOptions,
} from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

type Asked = {
  readonly key?: string;
  readonly owner?: string;
  readonly args?: JsonObject;
  readonly toolName?: string;
  readonly signal?: AbortSignal;
  readonly options?: InvocationOptions;
  readonly actor?: Actor;
};

const ask = ({ runtime }: MemoryRuntime, asked: Asked = {}) => {
  const { key = 'once', owner = 'alice', args = {}, toolName = 'Sample', signal, options, actor } = asked;
  return runtime.executeKeyed(
    {
      toolName,
      arguments: args,
      context: { source: 'human', owner, actor: actor ?? null, ...(signal === undefined ? {} : { signal }) },
      ...(options === undefined ? {} : { options }),
    },
    key,
  );
};

const resultOf = (outcome: KeyedOutcome) => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`);
  return outcome.result;
};

/** Servers that share their stores. */
const cluster = (options: MemoryRuntimeOptions = {}) => {
  const claims: MemoryKeyClaims = new Map();
  const calls = createMemoryCallStore(claims);
  const keys = createMemoryIdempotencyStore(claims);
  const start = (more: MemoryRuntimeOptions = {}) => createMemoryRuntime({ calls, keys, ...options, ...more });
  return { start, claims, calls };
};

/** A tool whose calls end when they are told to. */
const gated = () => {
  const ends: ((answer: unknown) => void)[] = [];
  const answer = () => new Promise((resolve) => ends.push(resolve));
  return { answer, ends, end: (index = 0, data: unknown = { done: true }) => ends[index]?.(success(data)) };
};

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};

const idempotent = (communication: Record<string, unknown> = { protocol: 'direct' }) => [
  manifest({ communication }, { idempotent: true }),
];

describe('a call under a key', () => {
  it('is made once; a later one gets the same result', async () => {
    const parts = createMemoryRuntime({ answer: () => success({ at: Math.random() }) });
    const first = await ask(parts);
    const second = await ask(parts);
    expect([first.ok && first.isReplay, second.ok && second.isReplay]).toEqual([false, true]);
    expect(resultOf(second)).toEqual(resultOf(first));
    expect(parts.delivered).toHaveLength(1);
    expect(parts.logged.map(({ event }) => event)).toEqual(['call.finished', 'call.replayed']);
  });

  it('shares its execution with all that ask while it runs', async () => {
    const gate = gated();
    const parts = createMemoryRuntime({ answer: gate.answer });
    const asked = Array.from({ length: 20 }, () => ask(parts));
    await until(() => gate.ends.length > 0);
    gate.end();
    const outcomes = await Promise.all(asked);
    expect(new Set(outcomes.map((outcome) => resultOf(outcome).id)).size).toBe(1);
    expect(outcomes.filter((outcome) => outcome.ok && !outcome.isReplay)).toHaveLength(1);
    expect(parts.delivered).toHaveLength(1);
  });

  it('is another call of another owner, and under another key', async () => {
    const parts = createMemoryRuntime();
    const outcomes = [await ask(parts), await ask(parts, { owner: 'bob' }), await ask(parts, { key: 'Once' })];
    expect(new Set(outcomes.map((outcome) => resultOf(outcome).id)).size).toBe(3);
    expect(outcomes.map((outcome) => outcome.ok && outcome.isReplay)).toEqual([false, false, false]);
  });

  it.each<[string, Asked]>([
    ['another tool', { toolName: 'Other' }],
    ['other arguments', { args: { n: 2 } }],
    ['the wish for approval', { args: { n: 1 }, options: { approval: true } }],
    ['the wish for no record', { args: { n: 1 }, options: { record: false } }],
    ['another actor', { args: { n: 1 }, actor: { type: 'agent', id: null, name: 'Nova', maid: 'Nova' } }],
  ])('is refused with %s, and not run, while the first runs and after it', async (_, other) => {
    const gate = gated();
    const parts = createMemoryRuntime({ manifests: [manifest(), manifest({ name: 'Other' })], answer: gate.answer });
    const first = ask(parts, { args: { n: 1 } });
    await until(() => gate.ends.length === 1);
    const meanwhile = ask(parts, { args: { n: 1 }, ...other });
    expect(await meanwhile).toEqual({ ok: false, refusal: 'key-reused' });
    gate.end();
    await first;
    expect(await ask(parts, { args: { n: 1 }, ...other })).toEqual({ ok: false, refusal: 'key-reused' });
    expect(parts.delivered).toHaveLength(1);
  });

  it('is the same call with its arguments in another order, and with other patience', async () => {
    const parts = createMemoryRuntime();
    const first = await ask(parts, { args: { a: 1, b: { c: [1], d: 2 } } });
    const second = await ask(parts, { args: { b: { d: 2, c: [1] }, a: 1 }, options: { timeoutMs: 500 } });
    expect(resultOf(second).id).toBe(resultOf(first).id);
  });

  it('whose tool failed is answered with that failure again', async () => {
    const failed = { status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no' } };
    const parts = createMemoryRuntime({ answer: () => failed });
    const first = await ask(parts);
    const second = await ask(parts);
    expect(resultOf(second)).toEqual(resultOf(first));
    expect([resultOf(second).error?.code, parts.delivered.length]).toEqual(['SAMPLE.NO', 1]);
  });

  it('that ran out of time is answered with that, too: the tool may have acted', async () => {
    const gate = gated();
    const parts = createMemoryRuntime({
      transport: {
        execute: ({ signal }) => {
          void gate.answer();
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        },
      },
    });
    const first = await ask(parts, { options: { timeoutMs: 20 } });
    const second = await ask(parts);
    expect([resultOf(second).status, resultOf(second).id]).toEqual(['timeout', resultOf(first).id]);
    expect(gate.ends).toHaveLength(1);
  });

  it('that failed in its transport, or in the runtime after the tool ran, is not made again', async () => {
    for (const fault of [new TransportError('TRANSPORT_FAILURE', 'died'), new Error('bug')]) {
      const parts = createMemoryRuntime({
        answer: () => {
          throw fault;
        },
      });
      const first = await ask(parts);
      expect(resultOf(await ask(parts)).id).toBe(resultOf(first).id);
      expect(parts.delivered).toHaveLength(1);
    }
  });

  it.each<[string, Asked, string]>([
    ['an unknown tool', { toolName: 'Nobody' }, 'TOOL_NOT_FOUND'],
    ['a tool that is off', { toolName: 'Off' }, 'TOOL_DISABLED'],
    ['arguments that do not fit', { toolName: 'Strict', args: { n: 'x' } }, 'INVALID_ARGUMENT'],
    ['arguments that are no JSON', { args: { n: Number.NaN } }, 'INVALID_ARGUMENT'],
    ['a wish for approval that nobody fulfilled', { options: { approval: true } }, 'APPROVAL_TIMEOUT'],
  ])('that was refused for %s leaves its key free', async (_, asked, code) => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const parts = createMemoryRuntime({
      limits: { approvalMs: 20 },
      manifests: [
        manifest(),
        manifest({ name: 'Off', enabled: false }),
        manifest({ name: 'Strict' }, { inputSchema: schema }),
      ],
    });
    const refused = await ask(parts, asked);
    expect(resultOf(refused).error?.code).toBe(code);
    const mended = await ask(parts, { args: { n: 1 } });
    expect([mended.ok && mended.isReplay, resultOf(mended).status]).toEqual([false, 'success']);
  });

  it('whose plugin could not be started leaves its key free', async () => {
    const { start } = cluster();
    let starts = 0;
    const full = new TransportError('TRANSPORT_FAILURE', 'no room for another process', null, true, false);
    const server = start({
      manifests: [manifest()],
      transport: {
        execute: () => {
          starts += 1;
          return starts === 1 ? Promise.reject(full) : Promise.resolve({ payload: success({}), warnings: [] });
        },
      },
    });
    expect(resultOf(await ask(server)).error).toMatchObject({ code: 'TRANSPORT_FAILURE', retryable: true });
    expect(resultOf(await ask(server)).status).toBe('success');
  });

  it('that found the queue of its tool full leaves its key free', async () => {
    const gate = gated();
    const parts = createMemoryRuntime({
      manifests: idempotent({ protocol: 'direct', concurrency: 1 }),
      limits: { queuedCalls: 0 },
      answer: gate.answer,
    });
    const busy = ask(parts, { key: 'busy' });
    await until(() => gate.ends.length === 1);
    expect(resultOf(await ask(parts)).error?.code).toBe('VCP.OVERLOADED');
    gate.end();
    await busy;
    const next = ask(parts);
    await until(() => gate.ends.length === 2);
    gate.end(1);
    expect(resultOf(await next).status).toBe('success');
  });

  it('goes on when its caller leaves, and waits for who comes back', async () => {
    const gate = gated();
    // Stops at once when its call is cancelled, as a transport must.
    const parts = createMemoryRuntime({
      answer: ({ signal }) => {
        if (signal.aborted) throw signal.reason as Error;
        return raceWithSignal(gate.answer(), signal);
      },
    });
    const caller = new AbortController();
    const first = ask(parts, { signal: caller.signal });
    await until(() => gate.ends.length === 1);
    caller.abort();
    const second = ask(parts);
    gate.end();
    expect(resultOf(await second)).toMatchObject({ status: 'success' });
    expect(resultOf(await first).id).toBe(resultOf(await second).id);
  });

  it('goes on when one that waits for it leaves or loses patience', async () => {
    const gate = gated();
    const parts = createMemoryRuntime({ answer: gate.answer });
    const first = ask(parts);
    await until(() => gate.ends.length === 1);
    const leaver = new AbortController();
    const waiting = [ask(parts, { signal: leaver.signal }), ask(parts, { options: { timeoutMs: 20 } })];
    leaver.abort();
    expect(await Promise.all(waiting)).toEqual([
      { ok: false, refusal: 'key-in-use' },
      { ok: false, refusal: 'key-in-use' },
    ]);
    gate.end();
    expect(resultOf(await first).status).toBe('success');
    expect(parts.delivered).toHaveLength(1);
  });

  it('is free again when its time is over', async () => {
    let now = Date.now();
    const clock = { now: () => now, monotonic: () => now };
    const parts = createMemoryRuntime({ clock, limits: { idempotencyMs: 1_000 } });
    const first = await ask(parts);
    now += 999;
    expect(resultOf(await ask(parts)).id).toBe(resultOf(first).id);
    now += 1;
    expect(resultOf(await ask(parts)).id).not.toBe(resultOf(first).id);
    expect(parts.delivered).toHaveLength(2);
  });

  it('has expired keys removed, now and then', async () => {
    let now = Date.now();
    const { start, claims } = cluster({
      clock: { now: () => now, monotonic: () => now },
      limits: { idempotencyMs: 1_000 },
    });
    const parts = start();
    for (let index = 0; index < 5; index += 1) await ask(parts, { key: `old ${index}` });
    now += 61_000;
    await ask(parts, { key: 'new' });
    expect([...claims.values()].map(({ key }) => key)).toEqual(['new']);
  });

  it('has more of them removed at once while there are many', async () => {
    let now = Date.now();
    const { claims } = cluster();
    const batches = [500, 500, 3, 0];
    let removals = 0;
    const keys = { ...createMemoryIdempotencyStore(claims), removeExpired: async () => batches[removals++] ?? 0 };
    const parts = createMemoryRuntime({ keys, clock: { now: () => now, monotonic: () => now } });
    now += 60_000;
    for (let index = 0; index < 6; index += 1) await ask(parts, { key: `key ${index}` });
    expect(removals).toBe(3);
    now += 60_000;
    await ask(parts, { key: 'later' });
    expect(removals).toBe(4);
  });

  it('whose result cannot be read now is told from one that nobody knows of', async () => {
    const { start, calls } = cluster();
    await ask(start());
    const blind = start({ calls: { ...calls, getResult: () => Promise.reject(new Error('disk')) } });
    expect(await ask(blind)).toEqual({ ok: false, refusal: 'result-unavailable' });
    expect(await ask(start())).toMatchObject({ ok: true, isReplay: true });
    expect(blind.delivered).toEqual([]);
  });

  it('that met a fault after its tool ran is not said to have run nothing', async () => {
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('no clock');
      return Date.now();
    };
    const parts = createMemoryRuntime({
      clock: { now, monotonic: () => performance.now() },
      answer: () => {
        isBroken = true;
        return success(1);
      },
    });
    expect(await ask(parts)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    expect(parts.delivered).toHaveLength(1);
  });

  it('is not made when the store does not answer', async () => {
    const { claims } = cluster();
    const keys = { ...createMemoryIdempotencyStore(claims), claim: () => Promise.reject(new Error('disk full')) };
    const parts = createMemoryRuntime({ keys });
    expect(await ask(parts)).toEqual({ ok: false, refusal: 'store-unavailable' });
    expect(parts.delivered).toEqual([]);
    expect(parts.logged.map(({ event }) => event)).toContain('idempotency.fault');
  });

  it('whose result is gone is not made again', async () => {
    const { start, calls } = cluster();
    await ask(start());
    const forgetful = start({ calls: { ...calls, getResult: async () => null } });
    expect(await ask(forgetful)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    expect(forgetful.delivered).toEqual([]);
  });
});

describe('a call under a key on two servers', () => {
  it('runs on one of them', async () => {
    const gate = gated();
    const { start } = cluster({ answer: gate.answer });
    const [one, two] = [start(), start()];
    const asked = Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? one : two));
    await until(() => gate.ends.length > 0);
    gate.end();
    const outcomes = await Promise.all(asked);
    expect(new Set(outcomes.map((outcome) => resultOf(outcome).id)).size).toBe(1);
    expect(one.delivered.length + two.delivered.length).toBe(1);
  });

  it('is refused by the other with other arguments', async () => {
    const gate = gated();
    const { start } = cluster({ answer: gate.answer });
    const first = ask(start());
    await until(() => gate.ends.length === 1);
    expect(await ask(start(), { args: { n: 2 } })).toEqual({ ok: false, refusal: 'key-reused' });
    gate.end();
    await first;
  });

  it('is waited for by the other no longer than its caller wants', async () => {
    const gate = gated();
    const { start } = cluster({ answer: gate.answer });
    const first = ask(start());
    await until(() => gate.ends.length === 1);
    expect(await ask(start(), { options: { timeoutMs: 30 } })).toEqual({ ok: false, refusal: 'key-in-use' });
    gate.end();
    expect(resultOf(await first).status).toBe('success');
  });

  it('is waited for until the server is told to end its calls', async () => {
    const gate = gated();
    const { start } = cluster({ answer: gate.answer });
    const first = ask(start());
    await until(() => gate.ends.length === 1);
    const other = start();
    const waiting = ask(other);
    await new Promise((resolve) => setTimeout(resolve, 10));
    other.runtime.cancelRunning();
    expect(await waiting).toEqual({ ok: false, refusal: 'key-in-use' });
    await other.runtime.idle();
    gate.end();
    await first;
  });

  it('runs on the other when the first refused it', async () => {
    const gate = gated();
    const { start, claims } = cluster();
    // The first server has no place for the call, and gives it up only after the other began to wait.
    const one = start({
      manifests: idempotent({ protocol: 'direct', concurrency: 1 }),
      answer: gate.answer,
    });
    const busy = ask(one, { key: 'busy' });
    await until(() => gate.ends.length === 1);
    const refused = ask(one, { options: { timeoutMs: 200 } });
    await until(() => claims.size === 2);
    const two = start();
    const other = ask(two);
    expect(resultOf(await refused).status).toBe('timeout');
    expect(resultOf(await other).status).toBe('success');
    expect([one.delivered.length, two.delivered.length]).toEqual([1, 1]);
    gate.end();
    await busy;
  });
});

describe('a call under a key whose server is lost', () => {
  const lease = { idempotencyLeaseMs: 60 };

  /** A server that never comes back: it gives no sign of life, and what it ends is not stored. */
  const lostCall = (manifests: MemoryRuntimeOptions['manifests']) => {
    const { start, claims, calls } = cluster({ limits: lease, ...(manifests === undefined ? {} : { manifests }) });
    const mute = { ...createMemoryIdempotencyStore(claims), extend: () => Promise.reject(new Error('gone')) };
    const gate = gated();
    const lost = start({
      answer: gate.answer,
      keys: mute,
      calls: { ...calls, saveCall: () => Promise.reject(new Error('gone')) },
    });
    return { lost: ask(lost), gate, start, claims };
  };

  it('is made again when its command is idempotent', async () => {
    const { lost, gate, start } = lostCall(idempotent());
    await until(() => gate.ends.length === 1);
    const heir = start();
    expect(resultOf(await ask(heir))).toMatchObject({ status: 'success', data: { done: true } });
    expect(heir.logged.map(({ event }) => event)).toContain('idempotency.taken-over');
    gate.end();
    await lost;
  });

  it('is made again by one of many', async () => {
    const { lost, gate, start } = lostCall(idempotent());
    await until(() => gate.ends.length === 1);
    const heirs = [start(), start()];
    const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(heirs[index % 2]!)));
    expect(new Set(outcomes.map((outcome) => resultOf(outcome).id)).size).toBe(1);
    expect(heirs.flatMap(({ delivered }) => delivered)).toHaveLength(1);
    gate.end();
    await lost;
  });

  it('is not made again when its command is not: what became of it is not known', async () => {
    const { lost, gate, start } = lostCall([manifest()]);
    await until(() => gate.ends.length === 1);
    const other = start();
    expect(await ask(other)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    expect(await ask(other)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    expect(other.delivered).toEqual([]);
    gate.end();
    await lost;
  });

  it('is not made again when only the version of now is idempotent', async () => {
    const { lost, gate, start } = lostCall([manifest()]);
    await until(() => gate.ends.length === 1);
    const upgraded = start({ manifests: idempotent() });
    expect(await ask(upgraded)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    expect(upgraded.delivered).toEqual([]);
    gate.end();
    await lost;
  });

  it('is not made again when only the version of then was idempotent', async () => {
    const { lost, gate, start } = lostCall(idempotent());
    await until(() => gate.ends.length === 1);
    const upgraded = start({ manifests: [manifest()] });
    expect(await ask(upgraded)).toEqual({ ok: false, refusal: 'outcome-unknown' });
    gate.end();
    await lost;
  });

  it('counts as alive for as long as its server gives signs', async () => {
    const gate = gated();
    const { start, claims } = cluster({ limits: { idempotencyLeaseMs: 600 }, answer: gate.answer });
    const first = ask(start());
    await until(() => claims.size === 1);
    const [claim] = claims.values();
    await until(() => [...claims.values()][0]!.leaseUntil > claim!.leaseUntil + 600);
    const other = start();
    const second = ask(other);
    gate.end();
    expect(resultOf(await second).id).toBe(resultOf(await first).id);
    expect(other.delivered).toEqual([]);
  });

  it('still leaves its result when it was only slow', async () => {
    const gate = gated();
    const { start, claims } = cluster({ limits: lease, answer: gate.answer });
    const mute = { ...createMemoryIdempotencyStore(claims), extend: async () => false };
    const slow = ask(start({ keys: mute }));
    await until(() => gate.ends.length === 1 && [...claims.values()][0]!.leaseUntil < Date.now());
    expect(await ask(start())).toEqual({ ok: false, refusal: 'outcome-unknown' });
    gate.end();
    const { id } = resultOf(await slow);
    expect(resultOf(await ask(start())).id).toBe(id);
  });
});

describe('a call under a key that is repeated inside', () => {
  it('is one call with one result', async () => {
    let attempts = 0;
    const parts = createMemoryRuntime({
      manifests: idempotent(),
      pause: { random: () => 0, sleep: async () => undefined },
      answer: (_call: TransportCall) => {
        attempts += 1;
        if (attempts < 3) throw new TransportError('TRANSPORT_FAILURE', 'died');
        return success({ attempts });
      },
    });
    const first = resultOf(await ask(parts));
    expect([first.execution.attempt, first.data]).toEqual([3, { attempts: 3 }]);
    expect(resultOf(await ask(parts))).toEqual(first);
    expect(attempts).toBe(3);
  });
});
