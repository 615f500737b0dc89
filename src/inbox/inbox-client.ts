import { z } from 'zod';
import { failWhenSilent } from '../lib/fail-when-silent.ts';
import { describeIssues, issuesOf } from '../lib/issue.ts';
import type { Limits } from '../lib/limits.ts';
import { messageOf } from '../lib/message-of.ts';
import { parseJson } from '../lib/parse-json.ts';
import { readAtMost } from '../lib/read-at-most.ts';
import { InboxItemId } from '../protocol/ids.ts';

/** The receiver did not answer, or not as one does. */
export class InboxFault extends Error {
  override readonly name = 'InboxFault';
}

/** A page whose items nobody has looked at yet: one that is not right must not keep the others. */
export type InboxListing = { readonly items: readonly unknown[]; readonly nextAfter: string | null };

/** What a server asks of its receiver. Everything throws `InboxFault` when it does not come about. */
export type InboxClient = {
  list(after: string | null, signal: AbortSignal): Promise<InboxListing>;
  acknowledge(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Bytes that are to be held against their hash. */
  blob(sha256: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
};

export type InboxClientOptions = {
  /** Address of the receiver. */
  readonly url: string;
  readonly key: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly limits: Pick<
    Limits,
    'inboxPageItems' | 'inboxRequestMs' | 'inboxBlobMs' | 'jsonDepth' | 'jsonNodes' | 'frameBytes'
  >;
};

const Listing = z.object({ items: z.array(z.unknown()), nextAfter: InboxItemId.nullable() });

/** Levels of a page around the content of an item. */
const PAGE_DEPTH = 3;

export const createInboxClient = ({ url, key, fetch, limits }: InboxClientOptions): InboxClient => {
  const base = url.replace(/\/+$/, '');

  const send = async (path: string, init: RequestInit, timeoutMs: number, signal: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, {
        ...init,
        // The key goes to the address that was configured, and to no other.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${key}` },
      });
    } catch (error) {
      throw new InboxFault(`the receiver at ${base} does not answer: ${messageOf(error)}`, { cause: error });
    }
    if (response.ok) return response;
    await response.body?.cancel();
    const hint =
      response.status === 401 || response.status === 403 ? ': is VCP_INBOX_KEY a key of an operator there?' : '';
    throw new InboxFault(
      `the receiver at ${base} answered ${path.split('?')[0]} with status ${response.status}${hint}`,
    );
  };

  return {
    list: async (after, signal) => {
      const query = `limit=${Math.min(limits.inboxPageItems, 100)}${after === null ? '' : `&after=${after}`}`;
      const response = await send(`/v1/inbox?${query}`, {}, limits.inboxRequestMs, signal);
      const bytes = response.body === null ? null : await readAtMost(response.body, limits.frameBytes);
      if (bytes === null)
        throw new InboxFault(`a page of the receiver at ${base} is too large; lower VCP_LIMIT_INBOX_PAGE_ITEMS`);
      const bounds = { jsonDepth: limits.jsonDepth + PAGE_DEPTH, jsonNodes: limits.jsonNodes };
      const parsed = parseJson(new TextDecoder().decode(bytes), bounds);
      if (!parsed.ok) throw new InboxFault(`what ${base} gives as its inbox ${parsed.issue.message}`);
      const listing = Listing.safeParse(parsed.value);
      if (!listing.success)
        throw new InboxFault(`what ${base} gives is no inbox (${describeIssues(issuesOf(listing.error))})`);
      return listing.data;
    },
    acknowledge: async (ids, signal) => {
      const init = {
        method: 'POST',
        body: JSON.stringify({ ids }),
        headers: { 'content-type': 'application/json' },
      };
      const response = await send('/v1/inbox/acknowledgements', init, limits.inboxRequestMs, signal);
      await response.body?.cancel();
    },
    blob: async (sha256, signal) => {
      const { body } = await send(`/v1/inbox/blobs/${sha256}`, {}, limits.inboxBlobMs, signal);
      if (body === null) throw new InboxFault(`the receiver at ${base} gave no bytes`);
      const silence = () => new InboxFault(`the receiver at ${base} stopped in the middle of ${sha256}`);
      return failWhenSilent(body, limits.inboxRequestMs, silence);
    },
  };
};
