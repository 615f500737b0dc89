import { describe, expect, it } from 'vitest';
import { createMemoryApprovalStore } from '../../../adapters/memory/memory-approval-store.ts';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../../adapters/memory/memory-task-store.ts';
import { describeApproval } from '../../../src/approval/describe-approval.ts';
import type { TransportAdapter } from '../../../src/ports/transport.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { decide, eventually, guarded, pendingApproval } from '../../support/approvals.ts';
import {
  createMemoryRuntime,
  success,
  type MemoryRuntime,
  type MemoryRuntimeOptions,
} from '../../support/memory-runtime.ts';
import { sampleApproval } from '../../support/sample-approvals.ts';
import { manifest } from '../../support/sample-values.ts';

/** Servers that share their stores, as two processes on one database do. */
const cluster = () => {
  const tasks = createMemoryTasks();
  const shared = {
    calls: createMemoryCallStore(new Map(), tasks),
    taskStore: createMemoryTaskStore(tasks),
    approvals: createMemoryApprovalStore(),
    manifests: [guarded()],
  };
  return (options: MemoryRuntimeOptions = {}) => createMemoryRuntime({ ...shared, ...options });
};

const call = (parts: MemoryRuntime, more: object = {}) =>
  parts.runtime.execute({
    toolName: 'Sample',
    arguments: { path: '/srv/old' },
    context: { source: 'human', owner: 'alice' },
    approvalWaitMs: 0,
    ...more,
  });

const taskOf = async (parts: MemoryRuntime, result: CanonicalToolResult) =>
  (await parts.tasks.store.get(result.task?.id ?? ''))!;

/** A plugin that works until it is told to stop. */
const UNTIL_ABORTED: TransportAdapter = {
  execute: ({ signal }) =>
    new Promise((_, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
    }),
};

/** The result that ended the task of an accepted call. */
const endOf = (parts: MemoryRuntime, accepted: CanonicalToolResult): Promise<CanonicalToolResult> =>
  eventually(() => parts.tasks.endedWith(accepted.task?.id ?? ''), 'the end of the task');

describe('a call that nobody waits for', () => {
  const detached = (parts: MemoryRuntime, more: object = {}) => call(parts, { respondAsync: true, ...more });

  it('is accepted before it begins, and its result ends its task', async () => {
    const gate = Promise.withResolvers<void>();
    const parts = createMemoryRuntime({ answer: async () => (await gate.promise, success({ done: true })) });
    const accepted = await detached(parts);
    expect(CanonicalToolResult.safeParse(accepted).error).toBeUndefined();
    expect(accepted).toMatchObject({ status: 'accepted', data: null, task: { state: 'queued' }, extensions: {} });
    await eventually(async () => ((await taskOf(parts, accepted)).state === 'running' ? true : null));
    gate.resolve();
    expect(await endOf(parts, accepted)).toMatchObject({
      status: 'success',
      data: { done: true },
      task: { id: accepted.task?.id, state: 'completed' },
      execution: { invocationId: accepted.execution.invocationId },
    });
    expect(parts.delivered).toHaveLength(1);
  });

  it('goes on when its caller leaves, and ends when its task is cancelled', async () => {
    const parts = createMemoryRuntime({
      transport: UNTIL_ABORTED,
    });
    const caller = new AbortController();
    const context = { source: 'human', owner: 'alice', signal: caller.signal };
    const accepted = await detached(parts, { context });
    caller.abort();
    await eventually(async () => ((await taskOf(parts, accepted)).state === 'running' ? true : null));
    expect(await parts.tasks.cancel(accepted.task?.id ?? '')).toBe('cancelled');
    expect((await endOf(parts, accepted)).status).toBe('cancelled');
    await parts.runtime.idle();
  });

  it('hands its task to a plugin that goes on by itself', async () => {
    const parts = createMemoryRuntime({ manifests: [asyncManifest()], answer: acceptedAnswer });
    const accepted = await detached(parts);
    await eventually(async () => (parts.delivered.length > 0 ? true : null));
    const [given] = parts.delivered;
    expect(given?.task?.id).toBe(accepted.task?.id);
    await parts.runtime.idle();
    expect(await given?.task?.finish(finalPayload('late'))).toMatchObject({ ok: true });
    expect(await endOf(parts, accepted)).toMatchObject({ status: 'success', data: { text: 'late' } });
  });

  it('is refused at once for what can be seen at once', async () => {
    const parts = createMemoryRuntime({ manifests: [manifest({}, { inputSchema: { required: ['n'] } })] });
    expect((await detached(parts)).error?.code).toBe('MISSING_ARGUMENT');
    expect((await detached(parts, { toolName: 'Nobody' })).error?.code).toBe('TOOL_NOT_FOUND');
  });

  it('is made once under its key', async () => {
    const parts = createMemoryRuntime();
    const ask = () =>
      parts.runtime.executeKeyed(
        { toolName: 'Sample', arguments: {}, context: { source: 'human', owner: 'alice' }, respondAsync: true },
        'order 8',
      );
    const [first, second] = [await ask(), await ask()];
    expect(second).toMatchObject({ ok: true, isReplay: true, result: { status: 'accepted' } });
    await endOf(parts, (first as { result: CanonicalToolResult }).result);
    expect(parts.delivered).toHaveLength(1);
  });

  it('with a task of its own keeps that while it waits for an approval', async () => {
    let rules: never[] = [];
    const parts = createMemoryRuntime({ approvalRules: () => rules, limits: { approvalWaitMs: 20 } });
    const accepted = await detached(parts);
    rules = [{ tools: ['*'], effect: 'require', overrideManifest: false } as never];
    const end = await endOf(parts, accepted);
    expect(end.status).toBe('success');
    const stored = await taskOf(parts, accepted);
    const again = { ...stored, id: parts.ids.next('task'), state: 'queued', resultId: null } as typeof stored;
    await parts.tasks.create(again);
    const waiting = await parts.runtime.execute({
      toolName: 'Sample',
      arguments: {},
      context: { source: 'scheduler', owner: 'alice' },
      task: again,
    });
    expect(waiting).toMatchObject({ status: 'accepted', task: { id: again.id } });
    const approval = await pendingApproval(parts);
    expect(approval.taskId).toBe(again.id);
    await decide(parts, approval, 'approve');
    expect(await endOf(parts, waiting)).toMatchObject({ status: 'success', task: { id: again.id } });
  });
});

describe('a call whose approval nobody waits for', () => {
  it('is accepted, and goes on as a task that is linked to the approval', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const accepted = await call(parts);
    expect(CanonicalToolResult.safeParse(accepted).error).toBeUndefined();
    const approval = await pendingApproval(parts);
    expect(accepted).toMatchObject({
      status: 'accepted',
      data: { approval: { id: approval.id, expiresAt: new Date(approval.expiresAt).toISOString() } },
      task: { state: 'queued' },
      error: null,
      extensions: { 'vcp.approval': { id: approval.id, state: 'pending', decidedBy: null } },
    });
    expect(await taskOf(parts, accepted)).toMatchObject({
      kind: 'deferred',
      owner: 'alice',
      state: 'queued',
      approvalId: approval.id,
      acceptedResultId: accepted.id,
      resultId: null,
      message: `waits for approval ${approval.id}`,
    });
    expect((await parts.approvals.look(approval.id))?.taskId).toBe(accepted.task?.id);
  });

  it('is made once it is approved, and its result ends the task', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const accepted = await call(parts);
    const approval = await pendingApproval(parts);
    await decide(parts, approval, 'approve', 'go ahead');
    const result = await endOf(parts, accepted);
    expect(CanonicalToolResult.safeParse(result).error).toBeUndefined();
    expect(result).toMatchObject({
      status: 'success',
      data: { done: true },
      task: { id: accepted.task?.id, state: 'completed' },
      execution: {
        invocationId: accepted.execution.invocationId,
        requestId: accepted.execution.requestId,
      },
      extensions: { 'vcp.approval': { id: approval.id, state: 'approved', decidedBy: 'Olga', reason: 'go ahead' } },
    });
    expect(parts.delivered).toHaveLength(1);
    expect(parts.delivered[0]).toMatchObject({ arguments: { path: '/srv/old' }, owner: 'alice' });
    expect(await taskOf(parts, accepted)).toMatchObject({ state: 'completed', resultId: result.id });
    await parts.runtime.idle();
    expect(await parts.approvals.look(approval.id)).toMatchObject({ ranAt: expect.any(Number), resultId: result.id });
    const record = await parts.calls.getRecord(result.execution.recordId ?? '');
    expect(record?.audit['approval']).toMatchObject({ decidedBy: 'Olga' });
  });

  it('ends as rejected, with the reason', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const accepted = await call(parts);
    await decide(parts, await pendingApproval(parts), 'reject', 'too risky');
    const result = await endOf(parts, accepted);
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('too risky') },
      task: { state: 'failed' },
      extensions: { 'vcp.approval': { state: 'rejected', decidedBy: 'Olga', reason: 'too risky' } },
    });
    expect(parts.delivered).toEqual([]);
  });

  it('ends when its time is over, at the next look', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()], limits: { approvalMs: 300 } });
    const accepted = await call(parts);
    expect(accepted.status).toBe('accepted');
    await parts.runtime.approvals.attend();
    expect((await taskOf(parts, accepted)).state).toBe('queued');
    await new Promise((resolve) => setTimeout(resolve, 350));
    await parts.runtime.approvals.attend();
    const result = await endOf(parts, accepted);
    expect(result).toMatchObject({ status: 'error', error: { code: 'APPROVAL_TIMEOUT' }, task: { state: 'failed' } });
    const states = parts.emitted.flatMap((event) => (event.type === 'approval' ? [event.data.state] : []));
    expect(states).toEqual(['pending', 'expired']);
  });

  it('ends at once when somebody decides too late', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()], limits: { approvalMs: 300 } });
    const accepted = await call(parts);
    const approval = await pendingApproval(parts);
    await new Promise((resolve) => setTimeout(resolve, 320));
    expect(await decide(parts, approval, 'approve')).toMatchObject({ ok: false, refusal: 'expired' });
    expect((await endOf(parts, accepted)).error?.code).toBe('APPROVAL_TIMEOUT');
    expect(parts.delivered).toEqual([]);
  });

  it('is not made on a plugin that has changed since', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const accepted = await call(parts);
    parts.registry.replace(createMemoryRuntime({ manifests: [guarded({ version: '2.0.0' })] }).registry.current());
    await decide(parts, await pendingApproval(parts), 'approve');
    const result = await endOf(parts, accepted);
    expect(result.error).toMatchObject({
      code: 'APPROVAL_REJECTED',
      message: expect.stringContaining('Sample 1.0.0 has become 2.0.0'),
    });
    expect(parts.delivered).toEqual([]);
  });

  it('is not made with other arguments than those that were approved', async () => {
    const store = createMemoryApprovalStore();
    // Somebody has changed the row behind the runtime's back.
    const get: typeof store.get = async (id) => {
      const approval = await store.get(id);
      return approval?.state === 'approved'
        ? { ...approval, call: { ...approval.call, arguments: { path: '/' } } }
        : approval;
    };
    const parts = createMemoryRuntime({ manifests: [guarded()], approvals: { ...store, get } });
    const accepted = await call(parts);
    await decide(parts, await pendingApproval(parts), 'approve');
    expect((await endOf(parts, accepted)).error?.code).toBe('APPROVAL_REJECTED');
    expect(parts.delivered).toEqual([]);
  });

  it('is made by one of two servers, whichever the decision is taken on', async () => {
    const start = cluster();
    const [first, second] = [start(), start()];
    const accepted = await call(first);
    await decide(second, await pendingApproval(first), 'approve');
    const looks = [first, second, first, second].map((parts) => parts.runtime.approvals.attend());
    await Promise.all(looks);
    expect((await endOf(first, accepted)).status).toBe('success');
    await Promise.all([first.runtime.idle(), second.runtime.idle()]);
    expect(first.delivered.length + second.delivered.length).toBe(1);
  });

  it('is made by a server that was started after the decision, when the one that took it was lost', async () => {
    const start = cluster();
    const accepted = await call(start());
    const later = start();
    const approval = await pendingApproval(later);
    const now = Date.now();
    // As the lost server had written it, before it could go on.
    await later.approvals.decide(approval.id, {
      state: 'approved',
      by: 'Olga',
      reason: null,
      at: now,
      usableUntil: now + 60_000,
    });
    await later.runtime.approvals.attend();
    expect((await endOf(later, accepted)).status).toBe('success');
    expect(later.delivered).toHaveLength(1);
  });

  it('does not stay approved when the server that waited for the decision was lost before it could use it', async () => {
    const parts = createMemoryRuntime({ limits: { approvalLeaseMs: 50 } });
    const now = Date.now();
    const lost = { heldBy: 'lost', createdAt: now - 60_000, leaseUntil: now - 1, expiresAt: now + 60_000 };
    const approval = sampleApproval({ ...lost, state: 'approved', decidedAt: now - 2, decidedBy: 'Olga' });
    await parts.approvals.create(approval, 1);
    await parts.runtime.approvals.attend();
    await parts.runtime.idle();
    expect(await parts.approvals.look(approval.id)).toMatchObject({
      state: 'cancelled',
      reason: 'the server that waited for it was lost',
      ranAt: null,
    });
    expect(parts.emitted).toMatchObject([{ type: 'approval', data: { state: 'cancelled', decidedBy: 'Olga' } }]);
  });

  it('is not made twice: what was lost while it ran is told as that', async () => {
    const start = cluster();
    const accepted = await call(start());
    const later = start();
    const { id, hash } = await pendingApproval(later);
    const now = Date.now();
    await later.approvals.decide(id, {
      state: 'approved',
      by: 'Olga',
      reason: null,
      at: now,
      usableUntil: now + 60_000,
    });
    await later.approvals.hold(id, { by: 'lost', at: now, leaseUntil: now + 400 });
    await later.approvals.consume(id, { by: 'lost', hash, at: now, leaseUntil: now + 400 });
    await later.runtime.approvals.attend();
    expect((await taskOf(later, accepted)).resultId).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 450));
    await later.runtime.approvals.attend();
    const result = await endOf(later, accepted);
    expect(result.error).toMatchObject({ code: 'INTERNAL_ERROR', details: { reason: 'outcome-unknown' } });
    expect(later.delivered).toEqual([]);
  });

  it('is not taken for lost while it runs longer than a lease', async () => {
    const start = cluster();
    const answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return success({ done: true });
    };
    const [first, second] = [start({ answer, limits: { approvalLeaseMs: 300 } }), start()];
    const accepted = await call(first);
    await decide(first, await pendingApproval(first), 'approve');
    const looking = setInterval(() => void second.runtime.approvals.attend(), 20);
    const result = await endOf(first, accepted);
    clearInterval(looking);
    expect(result.status).toBe('success');
    expect(second.delivered).toEqual([]);
  });

  it('is not made when its task was cancelled, and needs no decision then', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const accepted = await call(parts);
    const approval = await pendingApproval(parts);
    expect(await parts.tasks.cancel(accepted.task?.id ?? '', 'not needed')).toBe('cancelled');
    expect(await decide(parts, approval, 'approve')).toMatchObject({
      ok: false,
      refusal: 'decided',
      approval: { state: 'cancelled' },
    });
    const result = await endOf(parts, accepted);
    expect(result).toMatchObject({ status: 'cancelled', extensions: { 'vcp.approval': { state: 'cancelled' } } });
    expect(parts.delivered).toEqual([]);
  });

  it('is broken off when its task is cancelled while it runs', async () => {
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      transport: UNTIL_ABORTED,
    });
    const accepted = await call(parts);
    await decide(parts, await pendingApproval(parts), 'approve');
    await eventually(async () => ((await taskOf(parts, accepted)).state === 'running' ? true : null));
    await parts.tasks.cancel(accepted.task?.id ?? '');
    expect((await endOf(parts, accepted)).status).toBe('cancelled');
    await parts.runtime.idle();
  });

  it('hands its own task to a plugin that goes on by itself', async () => {
    const parts = createMemoryRuntime({
      manifests: [guarded({ pluginType: 'asynchronous' }, { async: true })],
      answer: ({ task }) => ({ status: 'accepted', data: null, task: { id: task?.id, state: 'running' } }),
    });
    const accepted = await call(parts);
    const approval = await pendingApproval(parts);
    await decide(parts, approval, 'approve');
    await eventually(async () => (parts.delivered.length > 0 ? true : null));
    expect(parts.delivered[0]?.task?.id).toBe(accepted.task?.id);
    await parts.runtime.idle();
    await parts.runtime.approvals.attend();
    expect((await taskOf(parts, accepted)).state).toBe('running');
    const finished = await parts.delivered[0]?.task?.finish({ status: 'success', data: { late: true } });
    expect(finished).toMatchObject({ ok: true });
    expect(await endOf(parts, accepted)).toMatchObject({
      status: 'success',
      data: { late: true },
      extensions: { 'vcp.approval': { id: approval.id, state: 'approved', decidedBy: 'Olga' } },
    });
  });

  it('is handed the part of the conversation that its approver was shown, also by another server', async () => {
    const server = cluster();
    const [first, second] = [server(), server()];
    const conversation = { messages: [{ role: 'user', content: 'the old ones too' }], omitted: 3 };
    const context = { source: 'ai-loop', owner: 'alice', conversation };
    const accepted = await call(first, { context });
    const approval = await pendingApproval(first);
    expect(describeApproval(approval)).toMatchObject({ conversation });
    await decide(second, approval, 'approve');
    expect((await endOf(second, accepted)).status).toBe('success');
    expect(second.delivered).toMatchObject([{ conversation, source: 'ai-loop' }]);
  });

  it('is not made with another part of the conversation than its approver was shown', async () => {
    const approvals = createMemoryApprovalStore();
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      approvals: {
        ...approvals,
        get: async (id) => {
          const found = await approvals.get(id);
          const swapped = { messages: [{ role: 'user', content: 'everything' }], omitted: 0 };
          return found === null ? null : { ...found, call: { ...found.call, conversation: swapped } };
        },
      },
    });
    const conversation = { messages: [{ role: 'user', content: 'one' }], omitted: 0 };
    const accepted = await call(parts, { context: { source: 'ai-loop', owner: 'alice', conversation } });
    await decide(parts, await pendingApproval(parts), 'approve');
    expect((await endOf(parts, accepted)).error).toMatchObject({ details: { reason: 'changed' } });
    expect(parts.delivered).toEqual([]);
  });

  it.each([
    ['waits for', 60_000],
    ['has left', 0],
  ])('is not made for a key that was revoked before the decision, where its caller %s', async (_, approvalWaitMs) => {
    let isRevoked = false;
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      rights: { refusalOf: () => (isRevoked ? 'the key has been revoked' : null), maySee: () => false },
    });
    const calling = call(parts, { approvalWaitMs });
    const approval = await pendingApproval(parts);
    isRevoked = true;
    await decide(parts, approval, 'approve');
    const answered = await calling;
    const result = answered.status === 'accepted' ? await endOf(parts, answered) : answered;
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'FORBIDDEN', message: 'the key has been revoked' },
      extensions: { 'vcp.approval': { id: approval.id, state: 'approved' } },
    });
    expect(parts.delivered).toEqual([]);
    expect(await parts.approvals.look(approval.id)).toMatchObject({ resultId: result.id });
  });

  it('answers its key with the accepted result for as long as that is kept', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const ask = () =>
      parts.runtime.executeKeyed(
        { toolName: 'Sample', arguments: {}, context: { source: 'human', owner: 'alice' }, approvalWaitMs: 0 },
        'order 8',
      );
    const [first, second] = await Promise.all([ask(), ask()]);
    const idOf = (outcome: Awaited<ReturnType<typeof ask>>) => (outcome.ok ? outcome.result.id : outcome.refusal);
    expect(idOf(second)).toBe(idOf(first));
    expect((await parts.approvals.list({ owner: 'alice', limit: 9 })).approvals).toHaveLength(1);
    const approval = await pendingApproval(parts);
    await decide(parts, approval, 'approve');
    await endOf(parts, (first as { result: CanonicalToolResult }).result);
    expect(await ask()).toMatchObject({ ok: true, isReplay: true, result: { status: 'accepted' } });
    expect(parts.delivered).toHaveLength(1);
  });

  it('is kept when the server stops while its caller waits', async () => {
    const start = cluster();
    const first = start();
    const calling = call(first, { approvalWaitMs: 60_000 });
    await pendingApproval(first);
    first.runtime.deferWaiting();
    const accepted = await calling;
    expect(accepted).toMatchObject({ status: 'accepted', task: { state: 'queued' } });
    const second = start();
    await decide(second, await pendingApproval(second), 'approve');
    expect((await endOf(second, accepted)).status).toBe('success');
    expect([first.delivered.length, second.delivered.length]).toEqual([0, 1]);
  });

  it('waits as long as its caller says, and no longer than the server does', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()], limits: { approvalWaitMs: 80 } });
    const begun = performance.now();
    expect((await call(parts, { approvalWaitMs: 60_000 })).status).toBe('accepted');
    expect(performance.now() - begun).toBeGreaterThan(60);
  });

  it('needs the resources among its arguments as they were', async () => {
    const inputSchema = {
      type: 'object',
      properties: { file: { $ref: 'urn:vcp:schema:1.0:resource-input' } },
      required: ['file'],
    };
    const start = (deliver: boolean) => {
      const parts = createMemoryRuntime({ manifests: [guarded({}, { inputSchema })] });
      return { parts, deliver };
    };
    for (const { parts, deliver } of [start(true), start(false)]) {
      const accepted = await call(parts, { arguments: { file: 'data:text/plain,hello' } });
      const approval = await pendingApproval(parts);
      const [resource] = approval.call.resources;
      expect(resource).toMatchObject({
        mimeType: 'text/plain',
        sizeBytes: 5,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      if (!deliver) {
        const uploads = new Date(Date.now() + 1_000).toISOString();
        await parts.calls.removeExpired({ results: null, records: null, uploads }, 10);
      }
      await decide(parts, approval, 'approve');
      const result = await endOf(parts, accepted);
      expect(result.error?.code ?? result.status).toBe(deliver ? 'success' : 'FILE_NOT_FOUND');
      expect(parts.delivered.map(({ inputResources }) => [...inputResources.keys()])).toEqual(
        deliver ? [[resource?.id]] : [],
      );
    }
  });
});
