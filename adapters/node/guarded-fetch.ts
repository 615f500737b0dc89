import { Agent, request as send, type Dispatcher } from 'undici';
import type { AddressRange } from '../../src/lib/address-policy.ts';
import { createDeadline } from '../../src/lib/deadline.ts';
import { describeUrl, judgeUrl } from '../../src/lib/url-policy.ts';
import {
  GUARDED_FETCH_LIMITS,
  type GuardedFailure,
  type GuardedFetch,
  type GuardedFetchLimits,
  type GuardedRequest,
  type GuardedResponse,
} from '../../src/ports/guarded-fetch.ts';
import type { ResolveName } from './guarded-fetch/bounded-resolve.ts';
import { checkedLookup, resolveBySystem } from './guarded-fetch/checked-lookup.ts';
import { failure, failureOf } from './guarded-fetch/fetch-failure.ts';
import { ACCEPTED_ENCODINGS, passBody, readBody } from './guarded-fetch/read-body.ts';

export type GuardedFetchOptions = {
  /** Ranges that are open although they are not public, for an intranet. */
  readonly allowed?: readonly AddressRange[];
  readonly resolve?: ResolveName;
  readonly limits?: GuardedFetchLimits;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to the origin they were meant for, under whatever name an API has its keys. */
const CREDENTIALS = /auth|cookie|key|token|secret|password|signature|credential/i;

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

  const fetch: GuardedFetch = async (request) => {
    const { signal: caller } = request;
    const deadline = createDeadline({ now: Date.now(), timeoutMs: request.timeoutMs, signal: caller });
    const redirects: string[] = [];
    let sent: Sent = { method: request.method ?? 'GET', headers: request.headers ?? {}, body: request.body ?? null };
    let next = judgeUrl(request.url, undefined, allowed);
    try {
      for (;;) {
        if (!next.ok) return failure(next.code, `the URL is refused: ${next.reason}`);
        const { url } = next;
        const refusal = request.refusalOf?.(url, sent.method) ?? null;
        if (refusal !== null) return failure('NOT_ALLOWED', refusal);
        const leave = request.beforeSend?.(sent.body?.byteLength ?? 0) ?? { maxBytes: request.maxBytes };
        if ('refusal' in leave) return failure('LIMIT_REACHED', leave.refusal);
        const answer = await attempt(url, sent, { ...request, ...leave }, deadline.signal).catch((error: unknown) =>
          failureOf(error, url, deadline.reason()),
        );
        if (!('location' in answer)) return answer.ok ? { ...answer, redirects } : answer;

        redirects.push(url.href);
        if (redirects.length > limits.redirects)
          return failure('TOO_MANY_REDIRECTS', `${describeUrl(url)} is the redirect after ${limits.redirects}`);
        next = judgeUrl(answer.location, url, allowed);
        if (next.ok && url.protocol === 'https:' && next.url.protocol === 'http:')
          return failure('INSECURE_REDIRECT', `${describeUrl(url)} redirects from https to http`);
        sent = afterRedirect(answer.status, sent);
        if (next.ok && next.url.origin !== url.origin) sent = { ...sent, headers: withoutCredentials(sent.headers) };
      }
    } finally {
      deadline.dispose();
    }
  };

  const attempt = async (
    url: URL,
    { method, headers, body: sentBody }: Sent,
    { maxBytes, receive }: GuardedRequest,
    signal: AbortSignal,
  ): Promise<GuardedResponse | GuardedFailure | { readonly location: string; readonly status: number }> => {
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

  return { fetch, close: () => agent.destroy() };
};

/** What goes out; it changes on the way through redirects. */
type Sent = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
};

/** As the Fetch standard has it: 303 makes everything a GET, 301 and 302 do that to a POST. */
const afterRedirect = (status: number, sent: Sent): Sent => {
  const { method, headers } = sent;
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return sent;
  const kept = Object.entries(headers).filter(([name]) => !/^content-/i.test(name));
  return { method: 'GET', headers: Object.fromEntries(kept), body: null };
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

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));
