import { issuesOf, type Issue } from '../lib/issue.ts';
import type { Limits } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import { ApprovalRulesFile, type ApprovalRule } from '../protocol/approval-rules.ts';

export type ReadApprovalRules =
  | { readonly ok: true; readonly rules: readonly ApprovalRule[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The text of a file of rules, or everything that is wrong with it and where. */
export const readApprovalRules = (text: string, limits: Limits): ReadApprovalRules => {
  const parsed = parseJson(text, limits);
  if (!parsed.ok) return { ok: false, issues: [parsed.issue] };
  const read = ApprovalRulesFile.safeParse(parsed.value);
  return read.success ? { ok: true, rules: read.data.rules } : { ok: false, issues: issuesOf(read.error) };
};
