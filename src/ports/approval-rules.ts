import type { ApprovalRule } from '../protocol/approval-rules.ts';

/** The rules of the operator, asked for at each call: they may change while the server runs. */
export type ApprovalRules = { current(): readonly ApprovalRule[] };

export const NO_APPROVAL_RULES: ApprovalRules = { current: () => [] };
