import { Agent, request as send, type Dispatcher } from 'undici';
import type { AddressRange } from '../../src/lib/address-policy.ts';
import { describeUrl } from '../../src/lib/url-policy.ts';
import {
  GUARDED_FETCH_LIMITS,
  type GuardedFailure,
  type GuardedFetch,
  type GuardedFetchLimits,
  type GuardedRequest,
  type GuardedResponse,
} from '../../src/ports/guarded-fetch.ts';
import {
  createRedirectingFetch,
  failure,
  REDIRECTS,
  type Redirect,
  type SentRequest,
} from '../fetch/redirecting-fetch.ts';
import type { ResolveName } from './guarded-fetch/bounded-resolve.ts';
import { checkedLookup, resolveBySystem } from './guarded-fetch/checked-lookup.ts';
import { failureOf } from './guarded-fetch/fetch-failure.ts';
import { ACCEPTED_ENCODINGS, passBody, readBody } from './guarded-fetch/read-body.ts';

export type GuardedFetchOptions = {
  /** Ranges that are open although they are not public, for an intranet. */
  readonly allowed?: readonly AddressRange[];
  readonly resolve?: ResolveName;
  readonly limits?: GuardedFetchLimits;
};

/** The guarded fetch for Node and Deno. `close` ends the connections that are kept open. */
export const createGuardedFetch = ({
  allowed = [],
  resolve = resolveBySystem,
  limits = GUARDED_FETCH_LIMITS,
}: GuardedFetchOptions = {}): { readonly fetch: GuardedFetch; close(): Promise<void> } => {
  const agent = new Agent({
    connect: { lookup: checkedLookup(resolve, allowed), timeout: limits.connectMs },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.headersMs,
    maxHeaderSize: limits.headerBytes,
  });

  const attempt = async (
    url: URL,
    { method, headers, body: sentBody }: SentRequest,
    { maxBytes, receive }: Pick<GuardedRequest, 'maxBytes' | 'receive'>,
    signal: AbortSignal,
  ): Promise<GuardedResponse | GuardedFailure | Redirect> => {
    const answer = await send(url, {
      dispatcher: agent,
      method: method as Dispatcher.HttpMethod,
      body: sentBody,
      headers: { ...headers, 'accept-encoding': ACCEPTED_ENCODINGS },
      signal,
    });
    const received = headersOf(answer.headers);
    const location = received.get('location');
    if (REDIRECTS.has(answer.statusCode) && location !== null) {
      answer.body.on('error', () => undefined).destroy();
      return { location, status: answer.statusCode };
    }
    // What there would be, had it been a GET.
    const isEmpty = method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304;
    if (!isEmpty && Number(received.get('content-length')) > maxBytes) {
      answer.body.on('error', () => undefined).destroy();
      return failure(
        'TOO_LARGE',
        `${describeUrl(url)} has ${received.get('content-length')} bytes; ${maxBytes} are allowed`,
      );
    }
    const encoding = isEmpty ? '' : (received.get('content-encoding') ?? '');
    const options = { encoding, maxBytes, signal };
    const body =
      receive === undefined || answer.statusCode !== 200
        ? await readBody(answer.body, options)
        : await passBody(answer.body, options, receive);
    return { ok: true, url: url.href, status: answer.statusCode, headers: received, body, redirects: [] };
  };

  return {
    fetch: createRedirectingFetch({ allowed, limits, attempt, failureOf }),
    close: () => agent.destroy(),
  };
};

const headersOf = (received: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    // A header that Headers does not take, with a stray control character, is as good as none.
    for (const one of [value ?? []].flat()) {
      try {
        headers.append(name, one);
      } catch {
        continue;
      }
    }
  }
  return headers;
};
