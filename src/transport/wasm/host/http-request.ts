import { z } from 'zod';
import type { WasmLimits } from '../wasm-limits.ts';
import type { GuardedFetch } from '../../../ports/guarded-fetch.ts';
import type { HostAnswer } from '../../../ports/wasm-sandbox.ts';
import { HTTP_METHODS, type PluginPermissions } from '../../../protocol/permissions.ts';
import { failed, type HostFunction } from './host-function.ts';
import { httpRefusal } from './http-refusal.ts';
import { readRequest } from './read-request.ts';

const HttpRequest = z.strictObject({
  method: z.string().max(32).default('GET'),
  url: z.string(),
  headers: z.record(z.string().max(256), z.string().max(16_384)).default({}),
});

/** What belongs to the connection, which is ours, or would make a server believe something about the sender. */
const OURS =
  /^(?:host|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|forwarded|x-forwarded(?:-.*)?|x-original-.*|(?:x-|true-|fastly-|x-cluster-)?client-ip|x-real-ip|x-remote-.*|cf-connecting-.*|via|proxy-.*|sec-.*)$/i;

/** Said of a body that is decoded by now, or of the connection. */
const SPENT = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']);

const MOST_HEADERS = 64;

/**
 * HTTP for one call of a plugin: to hosts that its manifest names, redirects included, and to public addresses alone.
 * Requests and bytes both ways, those of redirects included, and the time of each request are bounded.
 */
export const createHttpRequest = ({
  permission,
  limits,
  fetch,
  deadline,
  now,
}: {
  readonly permission: NonNullable<PluginPermissions['http']>;
  readonly limits: WasmLimits;
  readonly fetch: GuardedFetch;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  now(): number;
}): HostFunction => {
  const mostRequests = Math.min(limits.wasmHttpRequests, permission.requests ?? limits.wasmHttpRequests);
  const mostBytes = Math.min(limits.wasmHttpBytes, permission.bytes ?? limits.wasmHttpBytes);
  const mostMs = Math.min(limits.wasmHttpMs, permission.timeoutMs ?? limits.wasmHttpMs);
  let requests = 0;
  let bytes = 0;

  /** A redirect is a request of its own, and sends the body again where it keeps the method. */
  const count = (bodyBytes: number): { readonly maxBytes: number } | { readonly refusal: string } => {
    if (requests >= mostRequests)
      return { refusal: `no further HTTP request: a call may make ${mostRequests}, redirects included` };
    requests += 1;
    const maxBytes = mostBytes - bytes - bodyBytes;
    if (maxBytes < 0) return { refusal: `a call may send and receive ${mostBytes} bytes, and this is too much` };
    bytes += bodyBytes;
    return { maxBytes };
  };

  return async (call, signal) => {
    const { method: given, url, headers } = readRequest(call, HttpRequest, limits);
    const method = given.toUpperCase();
    const body = call.bytes;
    const unsendable = methodFault(method) ?? headersFault(headers) ?? (body === null ? null : bodyFault(method));
    if (unsendable !== null) return failed('INVALID_REQUEST', unsendable);
    const first = count(body?.byteLength ?? 0);
    if ('refusal' in first) return failed('LIMIT_REACHED', first.refusal);
    let isFirst = true;
    const answer = await fetch({
      url,
      method,
      headers,
      ...(body === null ? {} : { body }),
      refusalOf: (next, as) => httpRefusal(next, as, permission.allow),
      maxBytes: first.maxBytes,
      beforeSend: (sentBytes) => {
        if (!isFirst) return count(sentBytes);
        isFirst = false;
        return first;
      },
      timeoutMs: Math.max(1, Math.min(mostMs, deadline - now())),
      signal,
    });
    if (!answer.ok) {
      if (answer.code === 'NOT_ALLOWED') return failed('FORBIDDEN', answer.message);
      // What was read until it was too much has been read.
      if (answer.code === 'TOO_LARGE') bytes = mostBytes;
      return failed(answer.code, answer.message);
    }
    bytes += answer.body.byteLength;
    return answerOf(answer);
  };
};

const answerOf = (answer: {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}): HostAnswer => {
  const headers: [string, string][] = [];
  for (const [name, value] of answer.headers)
    if (!SPENT.has(name) && name !== 'set-cookie') headers.push([name, value]);
  // A cookie may hold commas, and never a line break.
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers.push(['set-cookie', cookies.join('\n')]);
  return { ok: { status: answer.status, url: answer.url, headers: Object.fromEntries(headers) }, bytes: answer.body };
};

/** Names no values: those may be secrets. */
const headersFault = (headers: Readonly<Record<string, string>>): string | null => {
  const names = Object.keys(headers);
  if (names.length > MOST_HEADERS) return `a request may have ${MOST_HEADERS} headers`;
  const ours = names.find((name) => OURS.test(name));
  if (ours !== undefined) return `the header ${ours.toLowerCase()} is set by the server, or not at all; leave it out`;
  const padded = names.find((name) => /^\s|\s$/.test(headers[name] as string));
  if (padded !== undefined)
    return `the value of the header ${JSON.stringify(padded)} begins or ends with white space; leave that out`;
  const unsendable = names.find((name) => !isSendable(name, headers[name] as string));
  return unsendable === undefined ? null : `the header ${JSON.stringify(unsendable)} or its value is not one of HTTP`;
};

/** `Headers` takes control characters that no connection sends. */
const isSendable = (name: string, value: string): boolean => {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return false;
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
};

const methodFault = (method: string): string | null =>
  HTTP_METHODS.some((one) => one === method) ? null : `the method must be one of ${HTTP_METHODS.join(', ')}`;

const bodyFault = (method: string): string | null =>
  method === 'GET' || method === 'HEAD' ? `a ${method} request has no body; pass 0 in its place` : null;
