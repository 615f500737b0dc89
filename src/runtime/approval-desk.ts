import { failureOfApproval } from '../approval/approval-failure.ts';
import { describeFault } from '../lib/describe-fault.ts';
import type { ApprovalHeader, StoredApproval } from '../ports/approval-store.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { ApprovalGate } from './approval-gate.ts';
import { failedOutcome } from './call-failure.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from './execute-request.ts';
import { tellOfApproval } from './tell-of-approval.ts';

export type Decision = {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  /** Name of whoever decides; that it may is for its caller to know. */
  readonly by: string;
};

/**
 * Why a decision was not taken: there is no such approval, it was decided or has ended already, its time is over, or nobody
 * waits for it any more.
 */
export type DecisionRefusal = 'not-found' | 'decided' | 'expired' | 'abandoned';

export type DecisionOutcome =
  | { readonly ok: true; readonly approval: StoredApproval }
  | { readonly ok: false; readonly refusal: DecisionRefusal; readonly approval: StoredApproval | null };

/** What people decide, and what follows from it. */
export type ApprovalDesk = {
  decide(id: string, decision: Decision): Promise<DecisionOutcome>;
  /**
   * Does what is left to do: ends what has expired, makes approved calls that no server makes, and ends the tasks of those
   * whose server was lost. To be called again and again, on every server that shares the store. What it has begun goes on
   * behind it, until `ended` resolves.
   */
  attend(): Promise<{ readonly ended: Promise<void> }>;
};

/** Approvals that one look takes on. */
const AT_ONCE = 20;
/** Milliseconds between two removals of old ones, and how many go at once. */
const REMOVAL_PERIOD_MS = 60_000;
const REMOVED_AT_ONCE = 500;
/** Signs of life within one lease, so that one may come late or be lost. */
const SIGNS_PER_LEASE = 3;

export const createApprovalDesk = (
  dependencies: ToolRuntimeDependencies,
  {
    holder,
    gate,
    run,
    track,
  }: {
    readonly holder: string;
    readonly gate: Pick<ApprovalGate, 'wake'>;
    run(request: ExecuteRequest): Promise<CanonicalToolResult>;
    /** Told of work that goes on behind an answer. */
    track(work: Promise<unknown>): void;
  },
): ApprovalDesk => {
  const { approvals, tasks, clock, limits, events, logger } = dependencies;
  const settling = new Set<string>();
  let removedAt = Number.NEGATIVE_INFINITY;

  const decide: ApprovalDesk['decide'] = async (id, { decision, reason, by }) => {
    const at = clock.now();
    const state = decision === 'approve' ? 'approved' : 'rejected';
    const isTaken = await approvals.decide(id, { state, by, reason, at, usableUntil: at + limits.approvalMs });
    const approval = await approvals.get(id);
    if (approval === null) return { ok: false, refusal: 'not-found', approval };
    if (!isTaken) return { ok: false, refusal: await refusalOf(approval, at), approval: await approvals.get(id) };
    logger.info('approval.decided', {
      approvalId: id,
      state,
      by,
      invocationId: approval.invocationId,
      requestId: approval.requestId,
      toolName: approval.toolName,
      ...(approval.taskId === null ? {} : { taskId: approval.taskId }),
    });
    tellOfApproval(events, approval);
    if (approval.taskId === null) gate.wake(id);
    else void goOnWith(approval);
    return { ok: true, approval };
  };

  const refusalOf = async (approval: ApprovalHeader, at: number): Promise<DecisionRefusal> => {
    if (approval.state === 'expired') return 'expired';
    if (approval.state !== 'pending') return 'decided';
    if (approval.expiresAt > at) return 'abandoned';
    await end(approval.id, 'expired', null);
    if (approval.taskId === null) gate.wake(approval.id);
    else void goOnWith(approval);
    return 'expired';
  };

  const end = async (id: string, state: 'expired' | 'cancelled', reason: string | null): Promise<void> => {
    if (!(await approvals.end(id, { state, reason, at: clock.now() }))) return;
    const ended = await approvals.look(id);
    if (ended !== null) tellOfApproval(events, ended);
  };

  /** Null where this process goes on with it already. */
  const goOnWith = ({ id }: ApprovalHeader): Promise<void> | null => {
    if (settling.has(id)) return null;
    settling.add(id);
    const settled = settle(id)
      .catch((error: unknown) => logger.error('approval.not-settled', { approvalId: id, fault: describeFault(error) }))
      .finally(() => settling.delete(id));
    track(settled);
    return settled;
  };

  /** Brings an approval that nobody attends to its end, if this process is the one that gets it. */
  const settle = async (id: string): Promise<void> => {
    const at = clock.now();
    if (!(await approvals.hold(id, { by: holder, at, leaseUntil: at + limits.approvalLeaseMs }))) return;
    const found = await approvals.get(id);
    if (found === null) return;
    if (found.taskId === null) return await end(id, 'cancelled', 'the server that waited for it was lost');
    const task = await tasks.store.get(found.taskId);
    if (task === null) return;
    if (task.resultId !== null) {
      await end(id, 'cancelled', 'its task has ended');
      await approvals.settle(id, task.resultId);
      return;
    }
    if (found.expiresAt <= at && found.ranAt === null) await end(id, 'expired', null);
    const approval = (await approvals.get(id)) ?? found;
    if (approval.state === 'pending') return;
    if (approval.state !== 'approved') {
      await tasks.end(task, failedOutcome(failureOfApproval(approval), endOf(approval)));
    } else if (approval.ranAt !== null) {
      logger.warn('approval.lost', { approvalId: id, taskId: task.id, toolName: approval.toolName });
      await tasks.end(task, failedOutcome(LOST));
    } else await make(approval, task);
  };

  /** Uses the approval and makes its call; while it runs, others are shown that it does. */
  const make = async (approval: StoredApproval, task: StoredTask): Promise<void> => {
    const { id, hash } = approval;
    const lease = () => ({ by: holder, at: clock.now(), leaseUntil: clock.now() + limits.approvalLeaseMs });
    const use = lease();
    if (!(await approvals.consume(id, { ...use, hash }))) return;
    const giveSign = () =>
      void approvals.hold(id, lease()).catch((error: unknown) => {
        logger.warn('approval.no-sign', { approvalId: id, fault: describeFault(error) });
      });
    const signs = setInterval(giveSign, limits.approvalLeaseMs / SIGNS_PER_LEASE);
    try {
      await run(requestOf({ ...approval, ranAt: use.at }, task));
    } finally {
      clearInterval(signs);
    }
  };

  const removeOld = async (): Promise<void> => {
    if (limits.retainApprovalsMs === 0 || clock.monotonic() - removedAt < REMOVAL_PERIOD_MS) return;
    const removed = await approvals.removeEnded(clock.now() - limits.retainApprovalsMs, REMOVED_AT_ONCE);
    // A full batch left more behind, perhaps: the next look goes on with them.
    if (removed < REMOVED_AT_ONCE) removedAt = clock.monotonic();
  };

  return {
    decide,
    attend: async () => {
      const found = await approvals.unattended(clock.now(), AT_ONCE);
      const begun = found.flatMap((approval) => goOnWith(approval) ?? []);
      await removeOld();
      return { ended: Promise.all(begun).then(() => undefined) };
    },
  };
};

/** The call as its caller made it, to be carried out now. */
const requestOf = (approval: StoredApproval, task: StoredTask): ExecuteRequest => {
  const { toolName, call, owner, source, actor } = approval;
  const { conversation, requestIp, nodeId, timeoutMs, warnings } = call;
  return {
    toolName,
    arguments: call.arguments,
    context: { source, actor, requestIp, nodeId, owner, ...(conversation === null ? {} : { conversation }) },
    ...(timeoutMs === null ? {} : { options: { timeoutMs } }),
    warnings,
    task,
    approved: approval,
  };
};

const endOf = ({ state }: ApprovalHeader): 'error' | 'cancelled' => (state === 'cancelled' ? 'cancelled' : 'error');

/** The call had begun; it is not made again, because an approval is good for once. */
const LOST = {
  code: 'INTERNAL_ERROR',
  message:
    'the server that made the approved call was lost while it ran; the tool may have acted, and the call is not repeated',
  details: { reason: 'outcome-unknown' },
} as const;
