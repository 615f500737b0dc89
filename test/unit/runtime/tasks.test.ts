import { describe, expect, it, vi } from 'vitest';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../../adapters/memory/memory-task-store.ts';
import type { CallStore } from '../../../src/ports/call-store.ts';
import { CallStopped, TransportError, type BackgroundWork, type TransportCall } from '../../../src/ports/transport.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import { noTelemetry } from '../../../src/runtime/telemetry.ts';
import { collectGarbage } from '../../../src/runtime/collect-garbage.ts';
import { finishTask } from '../../../src/runtime/tasks/finish-task.ts';
import { recordMetrics } from '../../support/recorded-metrics.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';

const open = (options: MemoryRuntimeOptions = {}) =>
  createMemoryRuntime({
    manifests: [asyncManifest()],
    answer: (call) => acceptedAnswer(call, { progress: 0.1 }),
    limits: { taskProgressMs: 10 },
    ...options,
  });

type Parts = ReturnType<typeof open>;

const finish = async (parts: Parts, taskId: string, payload: unknown) =>
  await finishTask((await parts.tasks.store.get(taskId))!, payload, {}, parts.finishing);

/** Work behind an `accepted` that a test ends. */
const backgroundWork = () => {
  const { promise, resolve } = Promise.withResolvers<TransportError | null>();
  const stopped: string[] = [];
  const work: BackgroundWork = {
    ended: promise,
    stop: () => {
      stopped.push('stop');
      resolve(null);
    },
    release: () => void stopped.push('release'),
  };
  return { work, stopped, end: resolve };
};

const acceptingWith = (work: BackgroundWork, calls: TransportCall[] = []): Partial<MemoryRuntimeOptions> => ({
  transport: {
    execute: async (call) => {
      calls.push(call);
      return { payload: acceptedAnswer(call), warnings: [], background: work };
    },
  },
});

describe('an accepted call', () => {
  it('has a task that was stored before its plugin was started, linked with the result', async () => {
    let found: unknown = null;
    const parts = open({
      answer: async (call) => {
        found = await parts.tasks.store.get(call.task!.id);
        return acceptedAnswer(call, { progress: 0.1 });
      },
    });
    const result = await callSample(parts, { text: 'hello' });
    const id = result.task!.id;
    expect(found).toMatchObject({ id, state: 'created', acceptedResultId: null, owner: 'alice' });
    expect(result).toMatchObject({
      status: 'accepted',
      task: {
        id,
        state: 'queued',
        progress: 0.1,
        pollAfterMs: 2_000,
        placeholder: `{{VCP_ASYNC_RESULT::Sample::${id}}}`,
      },
    });
    const stored = await parts.tasks.store.get(id);
    expect(stored).toMatchObject({
      state: 'queued',
      progress: 0.1,
      acceptedResultId: result.id,
      resultId: null,
      invocationId: result.execution.invocationId,
      requestId: result.execution.requestId,
      toolName: 'Sample',
      command: { commandIdentifier: 'Run', async: true },
    });
    expect(stored!.expiresAt - stored!.createdAt).toBeGreaterThanOrEqual(86_400_000);
    expect((await parts.calls.getResult(result.id))?.result).toEqual(result);
    expect(parts.emitted.map(({ type }) => type)).toEqual(['task', 'result']);
  });

  it('tells the plugin of its task, and of no task where the command has none', async () => {
    const parts = open();
    const result = await callSample(parts);
    const { id, callbackUrl, token } = parts.delivered[0]!.task!;
    expect(id).toBe(result.task!.id);
    expect(callbackUrl).toBe(`https://vcp.example/plugin-callback/Sample/${id}`);
    expect(await parts.tokens.verify(token)).toMatchObject({
      verdict: 'valid',
      claims: { toolName: 'Sample', taskId: id },
    });
    const plain = createMemoryRuntime();
    await callSample(plain);
    expect(plain.delivered[0]!.task).toBeNull();
  });

  it('is refused when it speaks of another task, and its own has failed', async () => {
    const parts = open({ answer: (call) => acceptedAnswer(call, { id: 'task_01JABCDEFGHJKMNPQRSTVWXYZ0' }) });
    const result = await callSample(parts);
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'INVALID_TOOL_RESULT', details: { pointer: '/task/id' } },
      task: { state: 'failed' },
    });
    expect(await parts.tasks.store.get(result.task!.id)).toMatchObject({ state: 'failed', resultId: result.id });
  });

  it('keeps the time that the manifest gives it, within that of the operator', async () => {
    const took = async (communication: object, limits: object) => {
      const parts = open({
        manifests: [asyncManifest({ communication: { protocol: 'direct', ...communication } })],
        limits,
      });
      const { task } = await callSample(parts);
      const stored = await parts.tasks.store.get(task!.id);
      return Math.round((stored!.expiresAt - stored!.updatedAt) / 1_000) * 1_000;
    };
    expect(await took({ taskTimeoutMs: 5_000 }, {})).toBe(5_000);
    expect(await took({ taskTimeoutMs: 5_000 }, { taskMs: 2_000 })).toBe(2_000);
  });
});

describe('an asynchronous command that answers at once', () => {
  it('has completed its task with that result', async () => {
    const parts = open({
      manifests: [asyncManifest({ pluginType: 'hybridservice' })],
      answer: () => success({ text: 'at once' }),
    });
    const result = await callSample(parts);
    expect(result).toMatchObject({ status: 'success', task: { state: 'completed', progress: 1 } });
    expect(await parts.tasks.store.get(result.task!.id)).toMatchObject({
      state: 'completed',
      resultId: result.id,
      acceptedResultId: null,
    });
  });

  it('has failed its task when its transport fails', async () => {
    const parts = open({
      transport: { execute: () => Promise.reject(new TransportError('TRANSPORT_FAILURE', 'gone')) },
    });
    const result = await callSample(parts);
    expect(result).toMatchObject({ status: 'error', task: { state: 'failed' } });
    expect((await parts.tasks.store.get(result.task!.id))?.state).toBe('failed');
  });

  it('gives the result of its callback when that came first, and stores no other', async () => {
    let first: unknown = null;
    const parts = open({
      manifests: [asyncManifest({ pluginType: 'hybridservice' })],
      answer: async (call) => {
        first = await finish(parts, call.task!.id, finalPayload('by callback'));
        return success({ text: 'by answer' });
      },
    });
    const result = await callSample(parts);
    expect(first).toMatchObject({ ok: true, result: { id: result.id } });
    expect(result).toMatchObject({ data: { text: 'by callback' }, origin: { source: 'callback' } });
    expect((await parts.calls.listRecords({ owner: null, limit: 10 })).records).toHaveLength(1);
  });
});

describe('the end of a task', () => {
  it('is a result of its own, with the ids of the call', async () => {
    const parts = open();
    const accepted = await callSample(parts);
    const id = accepted.task!.id;
    const finished = await finish(parts, id, finalPayload());
    if (!finished.ok) throw new Error('not finished');
    const { result } = finished;
    expect(result.id).not.toBe(accepted.id);
    expect(result).toMatchObject({
      status: 'success',
      data: { text: 'done' },
      tool: accepted.tool,
      task: { id, state: 'completed', progress: 1 },
      execution: {
        invocationId: accepted.execution.invocationId,
        requestId: accepted.execution.requestId,
        startedAt: accepted.execution.startedAt,
      },
      origin: { source: 'callback' },
    });
    expect(await parts.tasks.store.get(id)).toMatchObject({
      state: 'completed',
      progress: 1,
      acceptedResultId: accepted.id,
      resultId: result.id,
    });
    expect((await parts.calls.getResult(accepted.id))?.result).toEqual(accepted);
    expect((await parts.calls.listRecords({ owner: 'alice', limit: 10 })).records.map(({ status }) => status)).toEqual([
      'success',
      'accepted',
    ]);
  });

  it('waits for a payload that fits, and comes once', async () => {
    const parts = open();
    const id = (await callSample(parts)).task!.id;
    expect(await finish(parts, id, { status: 'success', data: { text: 1 } })).toMatchObject({
      ok: false,
      failure: { code: 'INVALID_TOOL_RESULT', details: { issues: [{ pointer: '/data/text' }] } },
    });
    expect(await finish(parts, id, acceptedAnswer({ task: { id } } as TransportCall))).toMatchObject({
      failure: { details: { pointer: '/status' } },
    });
    const local = { id: 'a', kind: 'file', localPath: 'a.txt' };
    expect(await finish(parts, id, finalPayload('x', { resources: [local] }))).toMatchObject({
      failure: { details: { issues: [{ pointer: '/resources/0/localPath' }] } },
    });
    expect((await parts.tasks.store.get(id))?.state).toBe('queued');
    expect(await finish(parts, id, finalPayload())).toMatchObject({ ok: true });
    expect(await finish(parts, id, finalPayload('again'))).toEqual({ ok: false, failure: null });
  });

  it('comes by cancelling it, while its call runs too', async () => {
    const parts = open({
      answer: async (call) => {
        await parts.tasks.cancel(call.task!.id);
        expect(call.signal.aborted).toBe(true);
        throw new CallStopped('cancelled');
      },
    });
    const result = await callSample(parts);
    expect(result).toMatchObject({
      status: 'cancelled',
      error: { code: 'TOOL_CANCELLED' },
      task: { state: 'cancelled' },
    });
    expect(await parts.tasks.cancel(result.task!.id)).toBe('ended');
    expect(await parts.tasks.cancel('task_01JABCDEFGHJKMNPQRSTVWXYZ0')).toBe('unknown');
  });

  it('does not come for a task whose time is over only while leave is asked for', async () => {
    const parts = open({ limits: { taskMs: 50 } });
    const pause = () => new Promise((resolve) => setTimeout(resolve, 80));
    const overdue = (await callSample(parts)).task!.id;
    await pause();
    const later = (await callSample(parts)).task!.id;
    await parts.tasks.sweep({ mayEndTasks: async () => pause().then(() => true) });
    expect((await parts.tasks.store.get(overdue))?.state).toBe('timed_out');
    expect((await parts.tasks.store.get(later))?.state).toBe('queued');
  });

  it('comes when its time is over', async () => {
    const parts = open({ limits: { taskMs: 1 } });
    const id = (await callSample(parts)).task!.id;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await parts.tasks.sweep();
    const task = await parts.tasks.store.get(id);
    expect(task?.state).toBe('timed_out');
    expect((await parts.calls.getResult(task!.resultId!))?.result).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT', retryable: true, details: { limit: 'taskMs' } },
    });
  });
});

describe('work behind an accepted answer', () => {
  it('that breaks off fails the task', async () => {
    const { work, end } = backgroundWork();
    const parts = open(acceptingWith(work));
    const id = (await callSample(parts)).task!.id;
    end(new TransportError('TRANSPORT_FAILURE', 'the process ended with exit code 3', { stderr: 'no disk' }));
    await vi.waitFor(async () => expect((await parts.tasks.store.get(id))?.state).toBe('failed'));
    const resultId = (await parts.tasks.store.get(id))!.resultId!;
    expect((await parts.calls.getResult(resultId))?.result).toMatchObject({
      status: 'error',
      error: { code: 'TRANSPORT_FAILURE', details: { stderr: 'no disk' } },
    });
  });

  it('that breaks off while the store fails has failed the task when the store is there again', async () => {
    const { work, end } = backgroundWork();
    const claims = createMemoryTasks();
    const store = createMemoryCallStore(undefined, claims);
    let isLocked = true;
    const calls: CallStore = {
      ...store,
      settleTask: async (...given) => {
        if (isLocked) throw new Error('database is locked');
        return await store.settleTask(...given);
      },
    };
    const parts = open({ ...acceptingWith(work), calls, taskStore: createMemoryTaskStore(claims) });
    const id = (await callSample(parts)).task!.id;
    end(new TransportError('TRANSPORT_FAILURE', 'the process ended with exit code 3'));
    await vi.waitFor(() => expect(parts.logged.map(({ event }) => event)).toContain('task.not-ended'));
    await parts.tasks.sweep();
    expect((await parts.tasks.store.get(id))?.state).toBe('queued');
    isLocked = false;
    await parts.tasks.sweep();
    expect((await parts.tasks.store.get(id))?.state).toBe('failed');
    expect(await parts.tasks.endedWith(id)).toMatchObject({
      error: { code: 'TRANSPORT_FAILURE', message: 'the process ended with exit code 3' },
    });
    const { resultId } = (await parts.tasks.store.get(id))!;
    await parts.tasks.sweep();
    expect(await parts.tasks.store.get(id)).toMatchObject({ state: 'failed', resultId });
  });

  it('keeps the place of its tool until it ends', async () => {
    const { work, end } = backgroundWork();
    const parts = open(acceptingWith(work));
    await callSample(parts);
    expect(parts.runtime.load()).toEqual([{ toolName: 'Sample', running: 1, waiting: 0 }]);
    end(null);
    await vi.waitFor(() => expect(parts.runtime.load()[0]?.running).toBe(0));
  });

  it('is stopped by a cancel, and let go by a callback', async () => {
    const cancelled = backgroundWork();
    const first = open(acceptingWith(cancelled.work));
    await first.tasks.cancel((await callSample(first)).task!.id);
    expect(cancelled.stopped).toContain('stop');

    const finished = backgroundWork();
    const second = open(acceptingWith(finished.work));
    await finish(second, (await callSample(second)).task!.id, finalPayload());
    expect(finished.stopped).toEqual(['release']);
  });

  it('is stopped when the task was cancelled in another process', async () => {
    const { work, stopped } = backgroundWork();
    const parts = open(acceptingWith(work));
    const id = (await callSample(parts)).task!.id;
    const elsewhere = createMemoryRuntime({ calls: parts.calls, taskStore: parts.tasks.store });
    await elsewhere.tasks.cancel(id);
    expect(stopped).toEqual([]);
    await parts.tasks.sweep();
    expect(stopped).toContain('stop');
  });

  it('fails its task when the server stops', async () => {
    const { work, stopped } = backgroundWork();
    const parts = open(acceptingWith(work));
    const id = (await callSample(parts)).task!.id;
    await parts.tasks.shutDown();
    expect(stopped).toContain('stop');
    const task = await parts.tasks.store.get(id);
    expect((await parts.calls.getResult(task!.resultId!))?.result.error).toMatchObject({
      code: 'TRANSPORT_FAILURE',
      retryable: true,
      message: 'the server was stopped before the task had ended; the tool may have acted',
    });
  });

  it('tells of its progress at a bounded rate, and keeps the newest', async () => {
    const calls: TransportCall[] = [];
    const { work, end } = backgroundWork();
    const parts = open(acceptingWith(work, calls));
    const id = (await callSample(parts)).task!.id;
    for (let step = 1; step <= 50; step += 1) {
      calls[0]!.reportProgress({ stage: 'drawing', progress: step / 100, message: null });
    }
    await vi.waitFor(async () =>
      expect(await parts.tasks.store.get(id)).toMatchObject({ state: 'running', progress: 0.5, stage: 'drawing' }),
    );
    expect(parts.events.map(({ taskId, progress }) => [taskId, progress])).toEqual([
      [id, 0.01],
      [id, 0.5],
    ]);
    end(null);
  });
});

describe('a task that has ended', () => {
  it('goes when the results of its time go, and one that has not stays', async () => {
    let ahead = 0;
    const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
    const parts = open({ clock, limits: { retainResultsMs: 3_600_000, taskMs: 1_000_000_000 } });
    const [ended, lasting] = [await callSample(parts), await callSample(parts)];
    await parts.tasks.cancel(ended.task!.id);
    await collectGarbage({ ...parts, clock });
    expect(await parts.tasks.store.get(ended.task!.id)).not.toBeNull();
    ahead = 3_700_000;
    await collectGarbage({ ...parts, clock });
    expect(await parts.tasks.store.get(ended.task!.id)).toBeNull();
    expect(await parts.tasks.store.get(lasting.task!.id)).not.toBeNull();
  });
});

describe('the figures of tasks', () => {
  it('are how many are open, by state, and how they ended', async () => {
    const recorded = recordMetrics();
    const watched = new Map<string, () => readonly unknown[]>();
    const metrics: Metrics = { ...recorded, watch: ({ name }, read) => void watched.set(name, read) };
    const parts = open({ telemetry: { ...noTelemetry(), metrics } });
    const first = await callSample(parts);
    await callSample(parts);
    await parts.tasks.sweep();
    expect(watched.get('vcp_tasks_open')?.()).toEqual([{ labels: { state: 'queued' }, value: 2 }]);
    await parts.tasks.cancel(first.task!.id);
    await parts.tasks.sweep();
    expect(watched.get('vcp_tasks_open')?.()).toEqual([{ labels: { state: 'queued' }, value: 1 }]);
    expect(recorded.counts.get('vcp_tasks_ended_total{tool="Sample",state="cancelled"}')).toBe(1);
  });
});

describe('a call that carries out a task', () => {
  const deferred = async (parts: Parts) => {
    const first = await callSample(parts);
    return (await parts.tasks.store.get(first.task!.id))!;
  };
  const carryOut = (parts: Parts, task: Awaited<ReturnType<typeof deferred>>) =>
    parts.runtime.execute({ toolName: 'Other', arguments: {}, task, context: { source: 'human', owner: 'alice' } });
  const manifests = [asyncManifest(), { ...asyncManifest({ pluginType: 'hybridservice' }), name: 'Other' }];

  it('has its ids, and ends it', async () => {
    let answer: (call: TransportCall) => unknown = (call) => acceptedAnswer(call);
    const parts = open({ manifests, answer: (call) => answer(call) });
    const task = await deferred(parts);
    answer = (call) => {
      expect(call.task?.id).toBe(task.id);
      return success({ text: 'later' });
    };
    const result = await carryOut(parts, task);
    expect(result).toMatchObject({
      status: 'success',
      execution: { invocationId: task.invocationId, requestId: task.requestId },
      task: { id: task.id, state: 'completed' },
    });
    expect(await parts.tasks.store.get(task.id)).toMatchObject({ state: 'completed', resultId: result.id });
  });

  it('is not made when the task has ended', async () => {
    const parts = open({ manifests });
    const task = await deferred(parts);
    await parts.tasks.cancel(task.id);
    const result = await carryOut(parts, task);
    expect(result.status).toBe('cancelled');
    expect(parts.delivered).toHaveLength(1);
  });
});
