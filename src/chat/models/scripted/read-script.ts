import { issuesOf, type Issue } from '../../../lib/issue.ts';
import { DEFAULT_LIMITS } from '../../../lib/limits.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { ModelScript } from './script.ts';

export type ReadScript =
  | { readonly ok: true; readonly script: ModelScript }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A script from its JSON text, or everything that is wrong with it. */
export const readModelScript = (text: string): ReadScript => {
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (!parsed.ok) return { ok: false, issues: [parsed.issue] };
  const script = ModelScript.safeParse(parsed.value);
  return script.success ? { ok: true, script: script.data } : { ok: false, issues: issuesOf(script.error) };
};
