import canonicalize from 'canonicalize';
import { hashText } from '../../lib/hash-json.ts';
import { TERMINAL_TASK_STATES } from '../../protocol/task.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../../protocol/json.ts';

/**
 * A text that is the same for the same call with the same outcome. Ids that every result has anew do not count. Null for a
 * task that goes on: asking again how far it is makes sense.
 */
export const samenessOf = async (
  toolName: string,
  args: JsonObject,
  { status, data, error, task }: CanonicalToolResult,
): Promise<string | null> => {
  if (task !== null && !TERMINAL_TASK_STATES.has(task.state)) return null;
  const told = error === null ? null : { code: error.code, message: error.message, details: error.details };
  const text = (canonicalize([toolName, args, status, data, told]) as string).replaceAll(OWN_IDS, '$1');
  return await hashText(text);
};

const OWN_IDS = /\b(tr_|ti_|req_|tcr_|res_)[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
