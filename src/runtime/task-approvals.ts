import { noteOfApproval } from '../approval/describe-approval.ts';
import { describeFault } from '../lib/describe-fault.ts';
import type { ApprovalStore } from '../ports/approval-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { Logger } from '../ports/logger.ts';
import type { ApprovalNote } from '../protocol/approval.ts';
import type { StoredTask } from '../ports/task-store.ts';
import { tellOfApproval } from './tell-of-approval.ts';

/** What tasks and approvals have to do with each other. Neither waits for the other's store to be well. */
export type TaskApprovals = {
  /** What the result that ends a task says of the task's approval. */
  noteOf(task: StoredTask): Promise<ApprovalNote | null>;
  /** A task has its result: so has its approval, and one that nobody has decided needs no decision any more. */
  taskEnded(task: StoredTask, resultId: string): Promise<void>;
};

type Dependencies = {
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly logger: Logger;
};

const TASK_ENDED = 'its task has ended';

export const createTaskApprovals = ({ approvals, clock, events, logger }: Dependencies): TaskApprovals => ({
  noteOf: async ({ id, approvalId }) => {
    if (approvalId === null) return null;
    try {
      const approval = await approvals.look(approvalId);
      if (approval === null) return null;
      const note = noteOfApproval(approval);
      return note.state === 'pending' ? { ...note, state: 'cancelled', reason: TASK_ENDED } : note;
    } catch (error) {
      logger.warn('approval.not-read', { approvalId, taskId: id, fault: describeFault(error) });
      return null;
    }
  },
  taskEnded: async ({ id, approvalId }, resultId) => {
    if (approvalId === null) return;
    try {
      const spared = { state: 'cancelled', reason: TASK_ENDED, at: clock.now() } as const;
      if (await approvals.end(approvalId, spared)) {
        const ended = await approvals.look(approvalId);
        if (ended !== null) tellOfApproval(events, ended);
      }
      await approvals.settle(approvalId, resultId);
    } catch (error) {
      logger.warn('approval.not-settled', { approvalId, taskId: id, fault: describeFault(error) });
    }
  },
});
