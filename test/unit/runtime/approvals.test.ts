import { describe, expect, it } from 'vitest';
import { createMemoryApprovalStore } from '../../../adapters/memory/memory-approval-store.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { decide, guarded, pendingApproval } from '../../support/approvals.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const approvalOf = (result: CanonicalToolResult) => (result.extensions as Record<string, unknown>)['vcp.approval'];

describe('a call that needs approval', () => {
  it('is made once it is approved, and not before', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts, { path: '/srv/old' });
    const approval = await pendingApproval(parts);
    expect(parts.delivered).toEqual([]);
    const decided = await decide(parts, approval, 'approve', 'checked the path');
    expect(decided).toMatchObject({ ok: true, approval: { state: 'approved', decidedBy: 'Olga' } });
    const result = await calling;
    expect(CanonicalToolResult.safeParse(result).error).toBeUndefined();
    expect(result).toMatchObject({ status: 'success', data: { done: true }, task: null });
    expect(parts.delivered).toHaveLength(1);
    expect(parts.delivered[0]?.arguments).toEqual(approval.call.arguments);
    expect(await parts.approvals.look(approval.id)).toMatchObject({ ranAt: expect.any(Number), resultId: result.id });
  });

  it('says on its result and its record who decided, when, why, and who wanted it', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts);
    const { id } = await pendingApproval(parts);
    await decide(parts, { id }, 'approve', 'fine by me');
    const result = await calling;
    const note = {
      id,
      state: 'approved',
      requiredBy: { by: 'manifest', reason: null },
      decidedBy: 'Olga',
      decidedAt: expect.stringMatching(/Z$/),
      reason: 'fine by me',
    };
    expect(approvalOf(result)).toEqual(note);
    const record = await parts.calls.getRecord(result.execution.recordId ?? '');
    expect(record?.audit['approval']).toEqual(note);
  });

  it('is not made when it is rejected, and its caller is told why', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts);
    const approval = await pendingApproval(parts);
    await decide(parts, approval, 'reject', 'not on a Friday');
    const result = await calling;
    expect(result).toMatchObject({
      status: 'error',
      error: {
        code: 'APPROVAL_REJECTED',
        category: 'approval',
        message: 'the call was rejected by an operator: not on a Friday',
        details: { approvalId: approval.id, reason: 'not on a Friday' },
      },
    });
    expect(parts.delivered).toEqual([]);
    const record = await parts.calls.getRecord(result.execution.recordId ?? '');
    expect(record).toMatchObject({ errorCode: 'APPROVAL_REJECTED', audit: { approval: { decidedBy: 'Olga' } } });
  });

  it('is not made when nobody decides in time', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()], limits: { approvalMs: 40 } });
    const result = await callSample(parts);
    expect(result.error).toMatchObject({ code: 'APPROVAL_TIMEOUT', message: 'nobody approved the call in time' });
    const [approval] = (await parts.approvals.list({ owner: 'alice', limit: 1 })).approvals;
    expect(approval).toMatchObject({ state: 'expired', decidedBy: null });
    expect(await decide(parts, approval!, 'approve')).toMatchObject({ ok: false, refusal: 'expired' });
    expect(parts.delivered).toEqual([]);
  });

  it('is decided once', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts);
    const approval = await pendingApproval(parts);
    const outcomes = await Promise.all([
      decide(parts, approval, 'reject'),
      ...Array.from({ length: 10 }, () => decide(parts, approval, 'approve')),
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, ...Array.from({ length: 10 }, () => false)]);
    expect(outcomes[1]).toMatchObject({ refusal: 'decided', approval: { state: 'rejected', decidedBy: 'Olga' } });
    expect((await calling).error?.code).toBe('APPROVAL_REJECTED');
    expect(await decide(parts, { id: 'apr_nobody' }, 'approve')).toEqual({
      ok: false,
      refusal: 'not-found',
      approval: null,
    });
  });

  it('is checked before anybody is asked', async () => {
    const strict = { inputSchema: { type: 'object', required: ['n'] } };
    const parts = createMemoryRuntime({ manifests: [guarded({}, strict)] });
    expect((await callSample(parts)).error?.code).toBe('MISSING_ARGUMENT');
    expect((await parts.approvals.list({ owner: null, limit: 1 })).approvals).toEqual([]);
  });

  it('shows the approver what will run: defaults filled in, on whose behalf, and which state of the plugin', async () => {
    const inputSchema = { type: 'object', properties: { deep: { type: 'boolean', default: true } } };
    const parts = createMemoryRuntime({ manifests: [guarded({}, { inputSchema })] });
    const calling = parts.runtime.execute({
      toolName: 'Sample',
      arguments: { path: 'a' },
      context: { source: 'mcp', owner: 'alice', actor: { type: 'agent', id: 'nova', name: 'Nova', maid: null } },
    });
    const approval = await pendingApproval(parts);
    expect(approval).toMatchObject({
      owner: 'alice',
      toolName: 'Sample',
      pluginVersion: '1.0.0',
      pluginDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      command: 'Run',
      source: 'mcp',
      actor: { name: 'Nova' },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      call: { arguments: { path: 'a', deep: true }, resources: [] },
    });
    await decide(parts, approval, 'approve');
    await calling;
    expect(parts.delivered[0]?.arguments).toEqual({ path: 'a', deep: true });
  });

  it('is bound to its arguments: another call needs an approval of its own', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const first = callSample(parts, { n: 1 });
    const one = await pendingApproval(parts);
    await decide(parts, one, 'approve');
    await first;
    const second = callSample(parts, { n: 1 });
    const two = await pendingApproval(parts);
    expect(two.id).not.toBe(one.id);
    expect(await decide(parts, one, 'approve')).toMatchObject({ ok: false, refusal: 'decided' });
    await decide(parts, two, 'reject');
    expect((await second).error?.code).toBe('APPROVAL_REJECTED');
    expect(parts.delivered).toHaveLength(1);
  });

  it('does not use up its own time while it waits', async () => {
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      answer: async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return success({ done: true });
      },
    });
    const calling = callSample(parts, {}, { options: { timeoutMs: 400 } });
    const approval = await pendingApproval(parts);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await decide(parts, approval, 'approve');
    expect((await calling).status).toBe('success');
    const { deadline } = parts.delivered[0]!;
    expect(deadline).toBeGreaterThan(approval.createdAt + 600);
  });

  it('still has no more than its own time once it runs', async () => {
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      transport: {
        execute: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      },
    });
    const calling = callSample(parts, {}, { options: { timeoutMs: 60 } });
    await decide(parts, await pendingApproval(parts), 'approve');
    expect((await calling).error).toMatchObject({ code: 'TOOL_TIMEOUT', details: { timeoutMs: 60 } });
  });

  it('is cancelled, and its approval with it, when its caller leaves', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const caller = new AbortController();
    const calling = callSample(parts, {}, { signal: caller.signal });
    const approval = await pendingApproval(parts);
    caller.abort();
    const result = await calling;
    expect(result).toMatchObject({ status: 'cancelled', error: { code: 'TOOL_CANCELLED' } });
    expect(approvalOf(result)).toMatchObject({ state: 'cancelled', reason: 'its caller left' });
    expect(await decide(parts, approval, 'approve')).toMatchObject({
      ok: false,
      refusal: 'decided',
      approval: { state: 'cancelled' },
    });
    expect(parts.delivered).toEqual([]);
  });

  it('tells its owner, and so the operators, how its approval stands', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const told: unknown[] = [];
    const calling = parts.runtime.execute({
      toolName: 'Sample',
      arguments: {},
      context: { source: 'human', owner: 'alice', onApproval: (approval) => told.push(approval) },
    });
    const { id, invocationId } = await pendingApproval(parts);
    await decide(parts, { id }, 'reject', 'no');
    await calling;
    const events = parts.emitted.filter(({ type }) => type === 'approval');
    expect(events).toMatchObject([
      { approvalId: id, invocationId, toolName: 'Sample', data: { state: 'pending', command: 'Run', decidedBy: null } },
      { approvalId: id, data: { state: 'rejected', decidedBy: 'Olga', reason: 'no' } },
    ]);
    expect(events.map(({ audience }) => audience)).toEqual([
      { to: 'owner', owner: 'alice' },
      { to: 'owner', owner: 'alice' },
    ]);
    expect(told).toMatchObject([{ id, state: 'pending', owner: 'alice' }]);
  });

  it('has no say of its own on its approval: what a plugin claims is taken away', async () => {
    const claim = { extensions: { 'vcp.approval': { decidedBy: 'me' }, 'vendor.other': 1 } };
    const parts = createMemoryRuntime({ answer: () => success({}, claim) });
    expect((await callSample(parts)).extensions).toEqual({ 'vendor.other': 1 });
  });

  it('is refused when too many of the same key wait', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()], limits: { pendingApprovals: 1 } });
    const first = callSample(parts);
    const approval = await pendingApproval(parts);
    expect((await callSample(parts)).error).toMatchObject({ code: 'VCP.OVERLOADED', retryable: true });
    await decide(parts, approval, 'approve');
    expect((await first).status).toBe('success');
  });

  it('is not made where the store cannot say that its approval was used', async () => {
    const store = createMemoryApprovalStore();
    const consume = () => Promise.reject(new Error('disk full'));
    const parts = createMemoryRuntime({ manifests: [guarded()], approvals: { ...store, consume } });
    const calling = callSample(parts);
    await decide(parts, await pendingApproval(parts), 'approve');
    expect((await calling).error?.code).toBe('INTERNAL_ERROR');
    expect(parts.delivered).toEqual([]);
  });

  it('waits on when the store cannot be read for a moment', async () => {
    const store = createMemoryApprovalStore();
    let faults = 2;
    const look: typeof store.look = (id) => {
      faults -= 1;
      return faults >= 0 ? Promise.reject(new Error('busy')) : store.look(id);
    };
    const parts = createMemoryRuntime({ manifests: [guarded()], approvals: { ...store, look } });
    const calling = callSample(parts);
    const { id } = await pendingApproval(parts);
    await store.decide(id, {
      state: 'approved',
      by: 'Olga',
      reason: null,
      at: Date.now(),
      usableUntil: Date.now() + 60_000,
    });
    expect((await calling).status).toBe('success');
  });

  it('notices a decision that was taken on another server', async () => {
    const approvals = createMemoryApprovalStore();
    const here = createMemoryRuntime({ manifests: [guarded()], approvals });
    const there = createMemoryRuntime({ manifests: [guarded()], approvals });
    const calling = callSample(here);
    await decide(there, await pendingApproval(here), 'approve');
    expect((await calling).status).toBe('success');
    expect([here.delivered.length, there.delivered.length]).toEqual([1, 0]);
  });

  it('is one call with one approval for all that ask under one key', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const ask = () =>
      parts.runtime.executeKeyed(
        { toolName: 'Sample', arguments: {}, context: { source: 'human', owner: 'alice' } },
        'order 8',
      );
    const asking = [ask(), ask(), ask()];
    const approval = await pendingApproval(parts);
    expect((await parts.approvals.list({ owner: 'alice', limit: 9 })).approvals).toHaveLength(1);
    await decide(parts, approval, 'approve');
    const outcomes = await Promise.all(asking);
    expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.result.id)).size).toBe(1);
    expect(parts.delivered).toHaveLength(1);
  });
});

describe('rules on approval', () => {
  const rule = (effect: string, more: object = {}) =>
    ({ tools: ['Sample'], effect, overrideManifest: false, ...more }) as never;

  it('are those of the moment of the call', async () => {
    let rules: never[] = [];
    const parts = createMemoryRuntime({ approvalRules: () => rules });
    expect((await callSample(parts)).status).toBe('success');
    rules = [rule('require', { reason: 'it costs money' })];
    const calling = callSample(parts);
    const approval = await pendingApproval(parts);
    expect(approval.requiredBy).toEqual({ by: 'rule', reason: 'it costs money' });
    await decide(parts, approval, 'approve');
    expect((await calling).status).toBe('success');
    rules = [];
    expect((await callSample(parts)).status).toBe('success');
  });

  it('may reject without asking anybody, which the record keeps', async () => {
    const parts = createMemoryRuntime({ approvalRules: () => [rule('reject', { reason: 'not from here' })] });
    const result = await callSample(parts);
    expect(result).toMatchObject({
      status: 'error',
      error: {
        code: 'APPROVAL_REJECTED',
        category: 'approval',
        message: 'a rule of this server rejects the call: not from here',
      },
    });
    expect(approvalOf(result)).toMatchObject({ id: null, state: 'rejected', requiredBy: { by: 'rule' } });
    expect((await parts.approvals.list({ owner: null, limit: 1 })).approvals).toEqual([]);
    expect(parts.emitted.map(({ type }) => type)).toEqual(['result']);
  });

  it('may let a call through that its manifest wants approved', async () => {
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      approvalRules: () => [rule('allow', { overrideManifest: true })],
    });
    expect((await callSample(parts)).status).toBe('success');
  });
});

describe('a manifest', () => {
  it('may want approval for all of its commands', async () => {
    const parts = createMemoryRuntime({ manifests: [manifest({ approval: true })] });
    expect(parts.registry.get('Sample')?.commands.get('Run')?.command.approval).toBe(true);
    const calling = callSample(parts);
    await decide(parts, await pendingApproval(parts), 'approve');
    expect((await calling).status).toBe('success');
  });
});

describe('a plugin that changes while its call waits', () => {
  const replaceWith = (parts: ReturnType<typeof createMemoryRuntime>, next: Record<string, unknown>) => {
    const changed = createMemoryRuntime({ manifests: [next] });
    parts.registry.replace(changed.registry.current());
  };

  it.each([
    ['another version', { version: '1.1.0' }, 'Sample 1.0.0 has become 1.1.0'],
    ['other files of the same version', { description: 'Another one.' }, 'the files of Sample 1.0.0 have changed'],
  ])('is not run as %s', async (_, more, words) => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts);
    const approval = await pendingApproval(parts);
    replaceWith(parts, guarded(more));
    await decide(parts, approval, 'approve');
    const result = await calling;
    expect(result.error).toMatchObject({ code: 'APPROVAL_REJECTED', details: { reason: 'changed' } });
    expect(result.error?.message).toContain(words);
    expect(parts.delivered).toEqual([]);
  });

  it('is run when it is the same, though it was switched off and on again', async () => {
    const parts = createMemoryRuntime({ manifests: [guarded()] });
    const calling = callSample(parts);
    const approval = await pendingApproval(parts);
    replaceWith(parts, guarded());
    await decide(parts, approval, 'approve');
    expect((await calling).status).toBe('success');
  });

  it('is not run when it was switched off or taken away', async () => {
    for (const [next, code] of [
      [guarded({ enabled: false }), 'TOOL_DISABLED'],
      [guarded({ name: 'Other' }), 'APPROVAL_REJECTED'],
    ] as const) {
      const parts = createMemoryRuntime({ manifests: [guarded()] });
      const calling = callSample(parts);
      const approval = await pendingApproval(parts);
      replaceWith(parts, next);
      await decide(parts, approval, 'approve');
      expect((await calling).error?.code).toBe(code);
      expect(parts.delivered).toEqual([]);
    }
  });
});
