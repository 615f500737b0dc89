import { describe, expect, it } from 'vitest';
import { createVcpClient } from '../../../src/client/vcp-client.ts';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { Approval, ApprovalListing } from '../../../src/protocol/approval.ts';
import { guarded, pendingApproval } from '../../support/approvals.ts';
import { sampleApproval } from '../../support/sample-approvals.ts';
import { createMemoryApp, type MemoryApp } from '../../support/memory-runtime.ts';

const app = () => createMemoryApp({ manifests: [guarded()] });

const decide = (parts: MemoryApp, id: string, body: unknown, as = 'operator') =>
  parts.send(`/v1/approvals/${id}`, {
    method: 'POST',
    as,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A call of alice's that waits. */
const waiting = async (parts: MemoryApp) => {
  const answer = parts.call({ tool: 'Sample', arguments: { path: '/srv/old' } });
  return { answer, approval: await pendingApproval(parts) };
};

const jsonOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('GET /v1/approvals', () => {
  it('lists those of the key’s own calls, and all to operators', async () => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    const idsFor = async (as: string, query = '') => {
      const listing = ApprovalListing.parse(await jsonOf(await parts.send(`/v1/approvals${query}`, { as })));
      return listing.approvals.map(({ id }) => id);
    };
    expect([await idsFor('alice'), await idsFor('bob'), await idsFor('operator')]).toEqual([
      [approval.id],
      [],
      [approval.id],
    ]);
    await decide(parts, approval.id, { decision: 'reject' });
    await answer;
    expect(await idsFor('alice', '?state=pending')).toEqual([]);
    expect(await idsFor('alice', '?state=pending,rejected')).toEqual([approval.id]);
  });

  it('refuses a state, a limit or a cursor that is none', async () => {
    const parts = app();
    for (const query of ['state=open', 'limit=0', 'cursor=x', 'status=pending'])
      expect((await parts.send(`/v1/approvals?${query}`)).status).toBe(400);
  });
});

describe('GET /v1/approvals/:id', () => {
  it('shows exactly what will run, to its owner and to operators', async () => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    for (const as of ['alice', 'operator']) {
      const shown = Approval.parse(await jsonOf(await parts.send(`/v1/approvals/${approval.id}`, { as })));
      expect(shown).toMatchObject({
        id: approval.id,
        state: 'pending',
        owner: 'alice',
        tool: { name: 'Sample', version: '1.0.0' },
        command: 'Run',
        arguments: { path: '/srv/old' },
        actor: { type: 'human', id: 'alice' },
        decidedAt: null,
      });
    }
    for (const [id, as] of [
      [approval.id, 'bob'],
      ['apr_nobody', 'operator'],
    ]) {
      expect((await parts.send(`/v1/approvals/${id}`, { as: as as string })).status).toBe(404);
    }
    await decide(parts, approval.id, { decision: 'approve' });
    await answer;
  });
});

describe('POST /v1/approvals/:id', () => {
  it('lets the call be made', async () => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    const decided = await decide(parts, approval.id, { decision: 'approve', reason: 'fine' });
    expect(decided.status).toBe(200);
    expect(Approval.parse(await jsonOf(decided))).toMatchObject({
      state: 'approved',
      decidedBy: 'operator',
      reason: 'fine',
    });
    expect(await jsonOf(await answer)).toMatchObject({ status: 'success' });
    const after = await jsonOf(await parts.send(`/v1/approvals/${approval.id}`));
    expect(after).toMatchObject({ ranAt: expect.any(String), resultId: expect.stringMatching(/^tr_/) });
  });

  it.each(['alice', 'bob', 'limited', 'node'])('is not for %s, who is no operator', async (as) => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    const refused = await decide(parts, approval.id, { decision: 'approve' }, as);
    expect([refused.status, (await jsonOf(refused))['code']]).toEqual([403, 'FORBIDDEN']);
    expect(parts.delivered).toEqual([]);
    await decide(parts, approval.id, { decision: 'reject' });
    await answer;
  });

  it('is not for an operator whose key is narrowed to other tools', async () => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    const refused = await decide(parts, approval.id, { decision: 'approve' }, 'narrow');
    expect([refused.status, (await jsonOf(refused))['detail']]).toEqual([
      403,
      'this key may not use the tool "Sample"',
    ]);
    await decide(parts, approval.id, { decision: 'reject' });
    await answer;
  });

  it('takes one decision, and tells who was first', async () => {
    const parts = app();
    const { answer, approval } = await waiting(parts);
    await decide(parts, approval.id, { decision: 'reject', reason: 'no' });
    const second = await decide(parts, approval.id, { decision: 'approve' });
    expect(second.status).toBe(409);
    expect(await jsonOf(second)).toMatchObject({
      code: 'APPROVAL_DECIDED',
      detail: expect.stringMatching(/^operator decided it at .*Z: it is rejected$/),
    });
    expect(await jsonOf(await answer)).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } });
    expect((await decide(parts, 'apr_nobody', { decision: 'approve' })).status).toBe(404);
  });

  it('says when it is too late', async () => {
    const parts = createMemoryApp({ manifests: [guarded()], limits: { approvalMs: 500 } });
    const { answer, approval } = await waiting(parts);
    await answer;
    const late = await decide(parts, approval.id, { decision: 'approve' });
    expect([late.status, (await jsonOf(late))['code']]).toEqual([410, 'APPROVAL_EXPIRED']);
  });

  it('says when nobody waits any more', async () => {
    const parts = app();
    const now = Date.now();
    const left = sampleApproval({ createdAt: now - 60_000, expiresAt: now + 60_000, leaseUntil: now - 1 });
    await parts.approvals.create(left, 100);
    const refused = await decide(parts, left.id, { decision: 'approve' });
    expect([refused.status, (await jsonOf(refused))['code']]).toEqual([409, 'APPROVAL_ABANDONED']);
  });

  it.each([
    [{ decision: 'maybe' }, '/decision'],
    [{}, '/decision'],
    [{ decision: 'approve', reason: '' }, '/reason'],
    [{ decision: 'approve', reason: 'x'.repeat(1_001) }, '/reason'],
    [{ decision: 'approve', arguments: { path: '/' } }, '/arguments'],
  ])('refuses %j', async (body, pointer) => {
    const refused = await decide(app(), 'apr_x', body);
    expect(refused.status).toBe(400);
    expect(await jsonOf(refused)).toMatchObject({ errors: [{ pointer }] });
  });

  it('takes JSON only', async () => {
    const refused = await app().send('/v1/approvals/apr_x', { method: 'POST', as: 'operator', body: 'approve' });
    expect(refused.status).toBe(415);
  });
});

describe('a call that waits, as its stream tells it', () => {
  it('has an approval event before its result, in the client too', async () => {
    const parts = app();
    const client = createVcpClient({
      endpoint: 'http://vcp.example',
      apiKey: 'key-of-alice',
      fetch: (url, init) => Promise.resolve(parts.app.request(url as string, init)),
    });
    const told: string[] = [];
    const calling = client.callTool(
      'Sample',
      {},
      {
        onApproval: ({ id, state }) => told.push(`${id} ${state}`),
      },
    );
    const { id } = await pendingApproval(parts);
    await decide(parts, id, { decision: 'approve' });
    expect((await calling).status).toBe('success');
    expect(told).toEqual([`${id} pending`]);
  });

  it('is waited for no longer than the client says', async () => {
    const parts = createMemoryApp({ manifests: [guarded()], limits: { approvalMs: 60_000 } });
    const answer = parts.send('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=0' },
      body: '{"tool":"Sample"}',
    });
    const result = (await jsonOf(await answer)) as unknown as CanonicalToolResult;
    expect(result).toMatchObject({ status: 'accepted', task: { state: 'queued' } });
  });
});
