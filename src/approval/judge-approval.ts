import type { KeyRole } from '../protocol/api-keys.ts';
import type { ApprovalDemand } from '../protocol/approval.ts';
import type { ApprovalRule } from '../protocol/approval-rules.ts';
import type { InvocationSource } from '../protocol/invocation.ts';

/** A call as rules see it. `roles` null: nobody said which roles the caller has. */
export type JudgedCall = {
  readonly toolName: string;
  readonly command: string;
  readonly owner: string;
  readonly roles: ReadonlySet<KeyRole> | null;
  readonly source: InvocationSource;
  /** How what makes the call now was asked for, where that was another way: a call may come by a schedule that a model made. */
  readonly origin: InvocationSource | null;
  /** Whether the manifest asks for approval, and whether the caller does. */
  readonly byManifest: boolean;
  readonly byCaller: boolean;
};

export type ApprovalVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'ask'; readonly requiredBy: ApprovalDemand }
  | { readonly kind: 'reject'; readonly reason: string | null };

/**
 * Whether a call needs a person's approval. The first rule that fits decides what operators have to say; the manifest's
 * demand stands unless a rule overrides it in so many words, and nothing lifts the caller's own.
 */
export const judgeApproval = (call: JudgedCall, rules: readonly ApprovalRule[]): ApprovalVerdict => {
  const rule = rules.find((one) => fits(one, call));
  const reason = rule?.reason ?? null;
  if (rule?.effect === 'reject') return { kind: 'reject', reason };
  if (rule?.effect === 'require') return { kind: 'ask', requiredBy: { by: 'rule', reason } };
  if (call.byManifest && rule?.overrideManifest !== true) return ask('manifest');
  return call.byCaller ? ask('caller') : { kind: 'free' };
};

const ask = (by: ApprovalDemand['by']): ApprovalVerdict => ({ kind: 'ask', requiredBy: { by, reason: null } });

const fits = (rule: ApprovalRule, { toolName, command, owner, roles, source, origin }: JudgedCall): boolean =>
  rule.tools.some((pattern) => pattern === '*' || pattern === toolName || pattern === `${toolName}:${command}`) &&
  (rule.keys === undefined || rule.keys.includes(owner)) &&
  (rule.sources === undefined || sourcesFit(rule.sources, source, origin, rule.effect)) &&
  (rule.roles === undefined || rolesFit(rule.roles, roles, rule.effect));

/** A rule that is strict with one way of calling is so too where that way only made a schedule; leniency does not reach so far. */
const sourcesFit = (
  wanted: readonly InvocationSource[],
  source: InvocationSource,
  origin: InvocationSource | null,
  effect: ApprovalRule['effect'],
): boolean => wanted.includes(source) || (effect !== 'allow' && origin !== null && wanted.includes(origin));

/** Where nobody knows the roles, a rule that is strict is taken to fit, and one that is lenient is not. */
const rolesFit = (
  wanted: readonly KeyRole[],
  roles: ReadonlySet<KeyRole> | null,
  effect: ApprovalRule['effect'],
): boolean => (roles === null ? effect !== 'allow' : wanted.some((role) => roles.has(role)));
