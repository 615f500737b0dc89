// What tests of calls that need approval share. Portable: no runtime's own modules.
import type { ApprovalHeader, StoredApproval } from '../../src/ports/approval-store.ts';
import type { Decision } from '../../src/runtime/approval-desk.ts';
import type { MemoryRuntime } from './memory-runtime.ts';
import { manifest } from './sample-values.ts';

type Parts = Pick<MemoryRuntime, 'approvals' | 'runtime'>;

/** The sample tool, whose command needs approval. */
export const guarded = (more: Record<string, unknown> = {}, ofCommand: Record<string, unknown> = {}) =>
  manifest(more, { approval: true, ...ofCommand });

/** Resolves with what the work gives as soon as that is something. */
export const eventually = async <T>(work: () => Promise<T | null | undefined>, what = 'it'): Promise<T> => {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await work();
    if (found !== null && found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${what} did not happen`);
};

/** The approval that waits for a decision, with its call. */
export const pendingApproval = ({ approvals }: Pick<Parts, 'approvals'>): Promise<StoredApproval> =>
  eventually(async () => {
    const { approvals: found } = await approvals.list({ owner: null, states: ['pending'], limit: 1 });
    return found[0] === undefined ? null : await approvals.get(found[0].id);
  }, 'a pending approval');

export const decide = async (
  parts: Parts,
  { id }: Pick<ApprovalHeader, 'id'>,
  decision: Decision['decision'],
  reason: string | null = null,
) => await parts.runtime.approvals.decide(id, { decision, reason, by: 'Olga' });
