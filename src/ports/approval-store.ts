import type { ApprovalDemand, ApprovalState } from '../protocol/approval.ts';
import type { Actor, Conversation, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Warning } from '../protocol/warning.ts';

/** A resource among the arguments, as it was when approval was asked for. */
export type HeldResource = {
  readonly id: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
};

/** All that it takes to make the call later, also on another server. */
export type HeldCall = {
  /** As the tool will get them. */
  readonly arguments: JsonObject;
  readonly resources: readonly HeldResource[];
  /** What the tool is handed of the conversation that the call was made in. */
  readonly conversation: Conversation | null;
  readonly requestIp: string | null;
  readonly nodeId: string | null;
  /** The caller's own patience, once the call runs. */
  readonly timeoutMs: number | null;
  readonly warnings: readonly Warning[];
};

/** An approval without the call that it is for. Times are milliseconds since the epoch. */
export type ApprovalHeader = {
  readonly id: string;
  readonly owner: string;
  readonly state: ApprovalState;
  readonly requiredBy: ApprovalDemand;
  readonly toolName: string;
  readonly displayName: string;
  readonly pluginVersion: string;
  readonly pluginDigest: string;
  readonly command: string;
  readonly actor: Actor | null;
  readonly source: InvocationSource;
  /** SHA-256 of what is approved. */
  readonly hash: string;
  readonly invocationId: string;
  readonly requestId: string;
  readonly createdAt: number;
  /** Until when it can be decided; once approved, until when its call must begin. */
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The task that the call goes on as; null while its caller waits. */
  readonly taskId: string | null;
  /** Which process waits for the decision or makes the call, and until when it is taken to be alive. */
  readonly heldBy: string | null;
  readonly leaseUntil: number | null;
  readonly ranAt: number | null;
  readonly resultId: string | null;
};

export type StoredApproval = ApprovalHeader & { readonly call: HeldCall };

/** `owner` null means all owners. Newest first; `cursor` is the opaque one of the page before. */
export type ApprovalQuery = {
  readonly owner: string | null;
  readonly states?: readonly ApprovalState[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

export type ApprovalPage = { readonly approvals: readonly ApprovalHeader[]; readonly nextCursor: string | null };

/** A person's decision. An approval is good until `usableUntil`. */
export type DecisionTaken = {
  readonly state: 'approved' | 'rejected';
  readonly by: string;
  readonly reason: string | null;
  readonly at: number;
  readonly usableUntil: number;
};

/** An end without a decision. */
export type DecisionSpared = {
  readonly state: 'expired' | 'cancelled';
  readonly reason: string | null;
  readonly at: number;
};

/** The lease of a process on an approval. */
export type ApprovalHold = { readonly by: string; readonly at: number; readonly leaseUntil: number };

/**
 * Approvals, agreed between all that share the store: each change is one statement that compares and sets, and tells
 * whether it was the one that did it.
 */
export type ApprovalStore = {
  /** False when `mostPending` of the owner's wait for a decision already. */
  create(approval: StoredApproval, mostPending: number): Promise<boolean>;
  get(id: string): Promise<StoredApproval | null>;
  /** The same without the call, which may be large. */
  look(id: string): Promise<ApprovalHeader | null>;
  list(query: ApprovalQuery): Promise<ApprovalPage>;
  /** Of one that is pending and has time left, and whose call somebody waits for or that goes on as a task. */
  decide(id: string, decision: DecisionTaken): Promise<boolean>;
  /** Of one whose call has not begun: `expired` when its time is over by then, `cancelled` at any time. */
  end(id: string, spared: DecisionSpared): Promise<boolean>;
  /** From now on the call goes on as a task; whoever held it lets go. False once it has begun or is a task already. */
  defer(id: string, taskId: string): Promise<boolean>;
  /** Takes an approval that nobody holds by then and whose call has no result, or goes on holding it. */
  hold(id: string, hold: ApprovalHold): Promise<boolean>;
  /** Uses an approval, once: one that was given, for what has this hash, in time, by who holds it. */
  consume(id: string, use: ApprovalHold & { readonly hash: string }): Promise<boolean>;
  /** Notes what the call came to; the first word stands. */
  settle(id: string, resultId: string): Promise<boolean>;
  /** What nobody holds by `now` although something is left to do: decided, expired or abandoned ones; the oldest first. */
  unattended(now: number, most: number): Promise<readonly ApprovalHeader[]>;
  /** Removes those from before `before` that wait for nothing, about `most` of them, and tells how many. */
  removeEnded(before: number, most: number): Promise<number>;
};
