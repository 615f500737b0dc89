import { readApprovalCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import type { ApprovalHeader, ApprovalStore, StoredApproval } from '../../src/ports/approval-store.ts';

/** Approvals of one process. */
export const createMemoryApprovalStore = (): ApprovalStore => {
  const approvals = new Map<string, StoredApproval>();

  /** Changes an approval that fits. What runs between two awaits is one statement. */
  const change = (
    id: string,
    fits: (approval: StoredApproval) => boolean,
    changes: Partial<StoredApproval>,
  ): Promise<boolean> => {
    const approval = approvals.get(id);
    if (approval === undefined || !fits(approval)) return Promise.resolve(false);
    approvals.set(id, { ...approval, ...changes });
    return Promise.resolve(true);
  };

  return {
    create: async (approval, mostPending) => {
      const { id, owner } = approval;
      if (approvals.has(id)) throw new Error(`stored already: ${id}`);
      const waiting = [...approvals.values()].filter((one) => one.owner === owner && one.state === 'pending').length;
      if (waiting >= mostPending) return false;
      approvals.set(id, approval);
      return true;
    },
    get: async (id) => approvals.get(id) ?? null,
    look: async (id) => {
      const approval = approvals.get(id);
      return approval === undefined ? null : headerOf(approval);
    },
    list: async ({ owner, states, limit, cursor }) => {
      const before = cursor === undefined ? null : readApprovalCursor(cursor);
      const found = [...approvals.values()]
        .filter((approval) => owner === null || approval.owner === owner)
        .filter(({ state }) => states === undefined || states.includes(state))
        .filter(({ id }) => before === null || id < before)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        approvals: page.map(headerOf),
        nextCursor: found.length > limit && last !== undefined ? recordCursor(last.id) : null,
      };
    },
    decide: (id, { state, by, reason, at, usableUntil }) =>
      change(
        id,
        (approval) =>
          approval.state === 'pending' &&
          approval.expiresAt > at &&
          (approval.taskId !== null || (approval.leaseUntil !== null && approval.leaseUntil > at)),
        {
          state,
          decidedAt: at,
          decidedBy: by,
          reason,
          ...(state === 'approved' ? { expiresAt: usableUntil } : {}),
        },
      ),
    end: (id, { state, reason, at }) =>
      change(
        id,
        (approval) =>
          (approval.state === 'pending' || approval.state === 'approved') &&
          approval.ranAt === null &&
          (state === 'cancelled' || approval.expiresAt <= at),
        { state, reason },
      ),
    defer: (id, taskId) =>
      change(id, (approval) => approval.taskId === null && approval.ranAt === null && approval.resultId === null, {
        taskId,
        heldBy: null,
        leaseUntil: null,
      }),
    hold: (id, { by, at, leaseUntil }) =>
      change(
        id,
        (approval) =>
          approval.resultId === null &&
          (approval.heldBy === by || approval.leaseUntil === null || approval.leaseUntil <= at),
        { heldBy: by, leaseUntil },
      ),
    consume: (id, { by, hash, at, leaseUntil }) =>
      change(
        id,
        (approval) =>
          approval.state === 'approved' &&
          approval.ranAt === null &&
          approval.expiresAt > at &&
          approval.hash === hash &&
          approval.heldBy === by,
        { ranAt: at, leaseUntil },
      ),
    settle: (id, resultId) => change(id, (approval) => approval.resultId === null, { resultId }),
    unattended: async (now, most) =>
      [...approvals.values()]
        .filter(({ resultId, leaseUntil }) => resultId === null && (leaseUntil === null || leaseUntil <= now))
        .filter(({ state, taskId, expiresAt, ranAt }) =>
          taskId === null
            ? ranAt === null && (state === 'pending' || state === 'approved')
            : state !== 'pending' || expiresAt <= now,
        )
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, most)
        .map(headerOf),
    removeEnded: async (before, most) => {
      const ended = [...approvals.values()]
        .filter(({ createdAt }) => createdAt < before)
        .filter(({ state, taskId, resultId }) => state !== 'pending' && (taskId === null || resultId !== null))
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, most);
      for (const { id } of ended) approvals.delete(id);
      return ended.length;
    },
  };
};

const headerOf = (approval: StoredApproval): ApprovalHeader => {
  const { call: _, ...header } = approval;
  return header;
};
