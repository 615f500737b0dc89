import type { AddressRange } from '../../src/lib/address-policy.ts';
import { createDeadline, type StopReason } from '../../src/lib/deadline.ts';
import { describeUrl, judgeUrl } from '../../src/lib/url-policy.ts';
import type {
  GuardedFailure,
  GuardedFetch,
  GuardedFetchLimits,
  GuardedRequest,
  GuardedResponse,
} from '../../src/ports/guarded-fetch.ts';

/** An answer that leads elsewhere. */
export type Redirect = { readonly location: string; readonly status: number };

export type RedirectingFetchOptions = {
  /** Ranges that are open although they are not public. */
  readonly allowed: readonly AddressRange[];
  readonly limits: Pick<GuardedFetchLimits, 'redirects'>;
  /** Sends one request to a URL that was judged, and follows no redirect. What it raises goes to `failureOf`. */
  attempt(
    url: URL,
    sent: SentRequest,
    bounds: Pick<GuardedRequest, 'maxBytes' | 'receive'>,
    signal: AbortSignal,
  ): Promise<GuardedResponse | GuardedFailure | Redirect>;
  failureOf(error: unknown, url: URL, stopped: StopReason | null): GuardedFailure;
};

/** What goes out; it changes on the way through redirects. */
export type SentRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
};

/** The statuses that lead elsewhere. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to the origin they were meant for, under whatever name an API has its keys. */
const CREDENTIALS = /auth|cookie|key|token|secret|password|signature|credential/i;

export const failure = (code: GuardedFailure['code'], message: string, retryable = false): GuardedFailure => ({
  ok: false,
  code,
  message,
  retryable,
});

/** The guarded fetch around whatever sends one request: every URL is judged, those of redirects too. */
export const createRedirectingFetch = ({
  allowed,
  limits,
  attempt,
  failureOf,
}: RedirectingFetchOptions): GuardedFetch => {
  return async (request) => {
    const { signal: caller } = request;
    const deadline = createDeadline({ now: Date.now(), timeoutMs: request.timeoutMs, signal: caller });
    const redirects: string[] = [];
    let sent: SentRequest = {
      method: request.method ?? 'GET',
      headers: request.headers ?? {},
      body: request.body ?? null,
    };
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
};

/** As the Fetch standard has it: 303 makes everything a GET, 301 and 302 do that to a POST. */
const afterRedirect = (status: number, sent: SentRequest): SentRequest => {
  const { method, headers } = sent;
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return sent;
  const kept = Object.entries(headers).filter(([name]) => !/^content-/i.test(name));
  return { method: 'GET', headers: Object.fromEntries(kept), body: null };
};

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));
