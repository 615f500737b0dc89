import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalStore, StoredApproval } from '../../../src/ports/approval-store.ts';
import { APPROVAL_NOW as NOW, sampleApproval } from '../../support/sample-approvals.ts';
import { sampleIds } from '../../support/sample-calls.ts';

export type OpenApprovalStore = { readonly approvals: ApprovalStore; close(): Promise<void> };

const HOUR_MS = 3_600_000;
const LATER = NOW + 1_000;

/** What every approval store does. `open` gives an empty one. */
export const describeApprovalStore = (name: string, open: () => Promise<OpenApprovalStore>): void => {
  describe(`approval store: ${name}`, () => {
    let opened: OpenApprovalStore;
    let approvals: ApprovalStore;
    beforeAll(async () => {
      opened = await open();
      ({ approvals } = opened);
    });
    afterAll(() => opened.close());

    const created = async (changes: Partial<StoredApproval> = {}) => {
      const approval = sampleApproval(changes);
      expect(await approvals.create(approval, 1_000)).toBe(true);
      return approval;
    };
    const approve = (id: string, at = LATER, by = 'Olga') =>
      approvals.decide(id, { state: 'approved', by, reason: null, at, usableUntil: at + HOUR_MS });
    const reject = (id: string, at = LATER) =>
      approvals.decide(id, { state: 'rejected', by: 'Olga', reason: 'not today', at, usableUntil: at + HOUR_MS });
    const consume = (approval: StoredApproval, changes: Partial<{ by: string; at: number; hash: string }> = {}) =>
      approvals.consume(approval.id, {
        by: 'first',
        at: LATER,
        hash: approval.hash,
        leaseUntil: LATER + 15_000,
        ...changes,
      });

    it('gives back what was created, with the call and without it', async () => {
      const approval = await created();
      expect(await approvals.get(approval.id)).toEqual(approval);
      const { call: _, ...header } = approval;
      expect(await approvals.look(approval.id)).toEqual(header);
      expect(await approvals.get(sampleIds.next('approval'))).toBeNull();
      expect(await approvals.look(sampleIds.next('approval'))).toBeNull();
    });

    it('keeps an approval on nobody’s behalf, without resources', async () => {
      const approval = await created({
        actor: null,
        call: { ...sampleApproval().call, resources: [], timeoutMs: null },
      });
      expect(await approvals.get(approval.id)).toEqual(approval);
    });

    it('does not create one twice', async () => {
      const approval = await created();
      await expect(approvals.create(approval, 1_000)).rejects.toThrow();
    });

    it('lists the newest first, page by page, of one owner or of all, in the states that are asked for', async () => {
      const owner = 'lister';
      const [first, second, third] = [await created({ owner }), await created({ owner }), await created({ owner })];
      await reject(second.id);
      const page = await approvals.list({ owner, limit: 2 });
      expect(page.approvals.map(({ id }) => id)).toEqual([third.id, second.id]);
      expect(page.approvals[0]).not.toHaveProperty('call');
      const rest = await approvals.list({ owner, limit: 2, cursor: page.nextCursor ?? '' });
      expect([rest.approvals.map(({ id }) => id), rest.nextCursor]).toEqual([[first.id], null]);
      const pending = await approvals.list({ owner, limit: 10, states: ['pending'] });
      expect(pending.approvals.map(({ id }) => id)).toEqual([third.id, first.id]);
      const all = await approvals.list({ owner: null, limit: 1_000 });
      expect(all.approvals.length).toBeGreaterThan(3);
      await expect(approvals.list({ owner, limit: 2, cursor: 'after:tcr_1' })).rejects.toThrow('cursor');
    });

    it('takes no more of an owner than may wait for a decision', async () => {
      const owner = 'counter';
      const [one] = [await created({ owner }), await created({ owner })];
      const third = sampleApproval({ owner });
      expect(await approvals.create(third, 2)).toBe(false);
      expect(await approvals.get(third.id)).toBeNull();
      expect(await approvals.create(sampleApproval({ owner: 'other' }), 2)).toBe(true);
      await reject(one.id);
      const taken = await Promise.all(Array.from({ length: 8 }, () => approvals.create(sampleApproval({ owner }), 2)));
      expect(taken.filter(Boolean)).toHaveLength(1);
    });

    it('takes one decision of many that come at once', async () => {
      const { id } = await created();
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? approve(id, LATER, `key ${n}`) : reject(id))),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      const { state, decidedBy, decidedAt } = (await approvals.get(id))!;
      expect(state === 'approved' ? decidedBy?.startsWith('key ') : decidedBy === 'Olga').toBe(true);
      expect(decidedAt).toBe(LATER);
    });

    it('keeps who decided, when and why, and until when an approval is good', async () => {
      const [yes, no] = [await created(), await created()];
      await approve(yes.id);
      await reject(no.id);
      expect(await approvals.get(yes.id)).toEqual({
        ...yes,
        state: 'approved',
        decidedAt: LATER,
        decidedBy: 'Olga',
        expiresAt: LATER + HOUR_MS,
      });
      expect(await approvals.get(no.id)).toEqual({
        ...no,
        state: 'rejected',
        decidedAt: LATER,
        decidedBy: 'Olga',
        reason: 'not today',
      });
    });

    it('takes no decision after its time, or when nobody waits for it', async () => {
      const late = await created({ taskId: sampleIds.next('task') });
      expect(await approve(late.id, late.expiresAt)).toBe(false);
      expect(await approve(late.id, late.expiresAt - 1)).toBe(true);
      const left = await created();
      expect(await approve(left.id, NOW + 15_000)).toBe(false);
      expect(await approve(left.id, NOW + 14_999)).toBe(true);
      expect(await approve(sampleIds.next('approval'))).toBe(false);
    });

    it('expires what has had its time, decided or not, and nothing else', async () => {
      const [young, old, unused] = [await created(), await created(), await created()];
      await approve(unused.id);
      const expire = (id: string, at: number) => approvals.end(id, { state: 'expired', reason: null, at });
      expect(await expire(young.id, young.expiresAt - 1)).toBe(false);
      expect(await expire(old.id, old.expiresAt)).toBe(true);
      expect(await expire(old.id, old.expiresAt)).toBe(false);
      expect(await expire(unused.id, LATER + HOUR_MS)).toBe(true);
      expect(await approvals.get(unused.id)).toMatchObject({ state: 'expired', decidedBy: 'Olga' });
      expect(await consume(unused)).toBe(false);
    });

    it('cancels what has not begun', async () => {
      const cancel = (id: string) => approvals.end(id, { state: 'cancelled', reason: 'its caller left', at: NOW });
      const [waiting, approved, begun, rejected] = [await created(), await created(), await created(), await created()];
      await approve(approved.id);
      await approve(begun.id);
      await consume(begun);
      await reject(rejected.id);
      expect(await Promise.all([waiting, approved, begun, rejected].map(({ id }) => cancel(id)))).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect(await approvals.get(waiting.id)).toMatchObject({ state: 'cancelled', reason: 'its caller left' });
      expect(await approve(waiting.id)).toBe(false);
      expect(await consume(approved)).toBe(false);
    });

    it('is used once, of many that would use it at once', async () => {
      const approval = await created();
      await approve(approval.id);
      const used = await Promise.all(Array.from({ length: 20 }, () => consume(approval)));
      expect(used.filter(Boolean)).toHaveLength(1);
      expect(await approvals.get(approval.id)).toMatchObject({ ranAt: LATER, leaseUntil: LATER + 15_000 });
    });

    it('is used for nothing but what was approved, in time, by who holds it', async () => {
      const approval = await created();
      expect(await consume(approval)).toBe(false);
      await approve(approval.id);
      expect(await consume(approval, { hash: 'c'.repeat(64) })).toBe(false);
      expect(await consume(approval, { by: 'second' })).toBe(false);
      expect(await consume(approval, { at: LATER + HOUR_MS })).toBe(false);
      expect(await consume(approval)).toBe(true);
    });

    it('goes on as a task once, free to be held', async () => {
      const approval = await created();
      const task = sampleIds.next('task');
      expect(await approvals.defer(approval.id, task)).toBe(true);
      expect(await approvals.defer(approval.id, sampleIds.next('task'))).toBe(false);
      expect(await approvals.get(approval.id)).toMatchObject({ taskId: task, heldBy: null, leaseUntil: null });
      const begun = await created();
      await approve(begun.id);
      await consume(begun);
      expect(await approvals.defer(begun.id, task)).toBe(false);
    });

    it('is held by one of many, who may go on, until the lease is over or it has its result', async () => {
      const approval = await created();
      await approvals.defer(approval.id, sampleIds.next('task'));
      const hold = (by: string, at: number) => approvals.hold(approval.id, { by, at, leaseUntil: at + 100 });
      const holds = await Promise.all(Array.from({ length: 20 }, (_, n) => hold(`process ${n}`, NOW)));
      expect(holds.filter(Boolean)).toHaveLength(1);
      const holder = `process ${holds.indexOf(true)}`;
      expect(await hold(holder, NOW + 50)).toBe(true);
      expect(await hold('other', NOW + 149)).toBe(false);
      expect(await hold('other', NOW + 150)).toBe(true);
      expect(await approvals.settle(approval.id, sampleIds.next('result'))).toBe(true);
      expect(await approvals.settle(approval.id, sampleIds.next('result'))).toBe(false);
      expect(await hold('other', NOW + 1_000)).toBe(false);
    });

    it('finds what nobody attends to although something is left to do', async () => {
      const later = NOW + 60_000;
      const deferred = async (changes: Partial<StoredApproval>) =>
        await created({ taskId: sampleIds.next('task'), heldBy: null, leaseUntil: null, ...changes });
      const owner = 'left alone';
      const abandoned = await created({ owner });
      const unused = await created({ owner, state: 'approved' });
      await created({ owner, state: 'approved', ranAt: NOW });
      const waiting = await created({ owner, leaseUntil: later + 1 });
      const decided = await deferred({ owner, state: 'approved' });
      const lost = await deferred({ owner, state: 'approved', ranAt: NOW, heldBy: 'gone', leaseUntil: NOW });
      const running = await deferred({ owner, state: 'approved', ranAt: NOW, heldBy: 'alive', leaseUntil: later + 1 });
      const undecided = await deferred({ owner });
      const expired = await deferred({ owner, expiresAt: later });
      const done = await deferred({ owner, state: 'rejected', resultId: sampleIds.next('result') });
      const found = (await approvals.unattended(later, 1_000)).filter((one) => one.owner === owner).map(({ id }) => id);
      expect(found.toSorted()).toEqual([abandoned, unused, decided, lost, expired].map(({ id }) => id).toSorted());
      expect(found).not.toContain([waiting, running, undecided, done].map(({ id }) => id));
      expect(await approvals.unattended(later, 1)).toHaveLength(1);
    });

    it('removes old ones that wait for nothing', async () => {
      const before = NOW - 1_000_000;
      const old = { createdAt: before - 1 };
      const [waiting, rejected, unsettled, done] = [
        await created(old),
        await created({ ...old, state: 'rejected' }),
        await created({ ...old, state: 'approved', taskId: sampleIds.next('task') }),
        await created({
          ...old,
          state: 'approved',
          taskId: sampleIds.next('task'),
          resultId: sampleIds.next('result'),
        }),
      ];
      expect(await approvals.removeEnded(before, 1)).toBe(1);
      expect(await approvals.removeEnded(before, 500)).toBe(1);
      expect(await approvals.removeEnded(before, 500)).toBe(0);
      const there = await Promise.all([waiting, rejected, unsettled, done].map(({ id }) => approvals.look(id)));
      expect(there.map((one) => one !== null)).toEqual([true, false, true, false]);
    });
  });
};
