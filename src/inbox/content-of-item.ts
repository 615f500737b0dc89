import { readAtMost } from '../lib/read-at-most.ts';
import type { Failure } from '../lib/failure.ts';
import type { Limits } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { InboxItem } from '../protocol/inbox.ts';
import type { JsonValue } from '../protocol/json.ts';
import { InboxFault, type InboxClient } from './inbox-client.ts';

export type ItemContent =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly failure: Failure };

/** What an item says, fetched where it is too large to stand in the item. Bytes that are not those of their hash are refused. */
export const contentOfItem = async (
  { content, contentBlob }: InboxItem,
  {
    client,
    limits,
    signal,
  }: {
    readonly client: InboxClient;
    readonly limits: Pick<Limits, 'jsonDepth' | 'jsonNodes'>;
    readonly signal: AbortSignal;
  },
): Promise<ItemContent> => {
  if (contentBlob === null) return { ok: true, value: content };
  const bytes = await readAtMost(await client.blob(contentBlob.sha256, signal), contentBlob.sizeBytes);
  const sha256 = bytes === null ? null : await sha256Of(bytes);
  if (bytes === null || sha256 !== contentBlob.sha256)
    throw new InboxFault(`the receiver gave other bytes for those of the SHA-256 ${contentBlob.sha256}`);
  const parsed = parseJson(new TextDecoder().decode(bytes), limits);
  if (parsed.ok) return { ok: true, value: parsed.value as JsonValue };
  const { pointer, message } = parsed.issue;
  return {
    ok: false,
    failure: { code: 'INVALID_TOOL_RESULT', message: `the result ${message}`, details: { pointer } },
  };
};
