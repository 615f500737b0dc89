import { issuesOf, type Issue } from '../lib/issue.ts';
import type { Limits } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import { ApiKeysFile } from '../protocol/api-keys.ts';

export type ReadApiKeys =
  | { readonly ok: true; readonly file: ApiKeysFile }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The text of a keys file, or everything that is wrong with it and where. */
export const readApiKeys = (text: string, limits: Limits): ReadApiKeys => {
  const parsed = parseJson(text, limits);
  if (!parsed.ok) return { ok: false, issues: [parsed.issue] };
  const read = ApiKeysFile.safeParse(parsed.value);
  if (!read.success) return { ok: false, issues: issuesOf(read.error) };
  const issues = [...repeated(read.data, 'id'), ...repeated(read.data, 'sha256')];
  return issues.length === 0 ? { ok: true, file: read.data } : { ok: false, issues };
};

/** Two entries with one id would share what they own; two with one hash could not be told apart. */
const repeated = ({ keys }: ApiKeysFile, field: 'id' | 'sha256'): Issue[] => {
  const first = new Map<string, number>();
  return keys.flatMap((entry, index) => {
    const earlier = first.get(entry[field]);
    if (earlier !== undefined)
      return [{ pointer: `/keys/${index}/${field}`, message: `is that of /keys/${earlier} too` }];
    first.set(entry[field], index);
    return [];
  });
};
