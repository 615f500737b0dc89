import type { AddressRange } from '../../src/lib/address-policy.ts';
import { joinBytes } from '../../src/lib/bytes.ts';
import { messageOf } from '../../src/lib/message-of.ts';
import { describeUrl } from '../../src/lib/url-policy.ts';
import {
  GUARDED_FETCH_LIMITS,
  type GuardedFetch,
  type GuardedFetchLimits,
  type GuardedRequest,
} from '../../src/ports/guarded-fetch.ts';
import { createRedirectingFetch, failure, REDIRECTS } from '../fetch/redirecting-fetch.ts';

export type WorkerGuardedFetchOptions = {
  /** The runtime's own. */
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly allowed?: readonly AddressRange[];
  readonly limits?: Pick<GuardedFetchLimits, 'redirects'>;
};

/** Names of this machine, whoever resolves them. */
const OWN_NAMES = /(?:^|\.)localhost\.?$/i;

/** The body has more bytes than allowed. */
class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * The guarded fetch for Workers: addresses in URLs are judged, and each redirect again. What a name resolves to is not
 * seen there; the platform connects Workers to public addresses only.
 */
export const createWorkerGuardedFetch = ({
  fetch,
  allowed = [],
  limits = GUARDED_FETCH_LIMITS,
}: WorkerGuardedFetchOptions): GuardedFetch =>
  createRedirectingFetch({
    allowed,
    limits,
    attempt: async (url, { method, headers, body }, { maxBytes, receive }, signal) => {
      if (OWN_NAMES.test(url.hostname))
        return failure(
          'BLOCKED_ADDRESS',
          `the name ${url.hostname} is not open: it is that of the server's own machine`,
        );
      const answer = await fetch(url, {
        method,
        headers: { ...headers },
        redirect: 'manual',
        signal,
        ...(body === null ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
      const location = answer.headers.get('location');
      if (REDIRECTS.has(answer.status) && location !== null) {
        await answer.body?.cancel();
        return { location, status: answer.status };
      }
      const declared = method === 'HEAD' ? 0 : Number(answer.headers.get('content-length'));
      if (declared > maxBytes) {
        await answer.body?.cancel();
        return failure('TOO_LARGE', `${describeUrl(url)} has ${declared} bytes; ${maxBytes} are allowed`);
      }
      const bytes = await take(answer, maxBytes, answer.status === 200 ? receive : undefined);
      const { status, headers: received } = answer;
      return { ok: true, url: url.href, status, headers: received, body: bytes, redirects: [] };
    },
    failureOf: (error, url, stopped) => {
      const where = describeUrl(url);
      if (stopped === 'timeout') return failure('TIMEOUT', `${where} took too long to answer`, true);
      if (stopped === 'cancelled') return failure('CANCELLED', `the request to ${where} was cancelled`);
      if (error instanceof BodyTooLarge) return failure('TOO_LARGE', `${where}: ${error.message}`);
      return failure(
        'CONNECTION_FAILED',
        `the connection to ${where} failed (${messageOf(error).slice(0, 100)})`,
        true,
      );
    },
  });

/** The body, which the runtime has decompressed; empty where somebody else takes it as it comes. */
const take = async ({ body }: Response, maxBytes: number, receive: GuardedRequest['receive']): Promise<Uint8Array> => {
  if (body === null) {
    await receive?.(new Blob([]).stream());
    return new Uint8Array();
  }
  const bounded = body.pipeThrough(boundedTo(maxBytes));
  if (receive !== undefined) {
    await receive(bounded);
    return new Uint8Array();
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded) chunks.push(chunk);
  return joinBytes(chunks);
};

const boundedTo = (maxBytes: number): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge(`the body has more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
};
