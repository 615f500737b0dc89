import type { Problem } from '../protocol/problem.ts';
import { VcpProblem, VcpUnreachable } from './client-errors.ts';

export type Cancellable = { readonly signal?: AbortSignal | undefined };

/** How requests of a client are sent, and their answers read. */
export type HttpConnection = {
  /** Without a slash at its end. */
  readonly base: string;
  send(path: string, init: RequestInit): Promise<Response>;
  /** The JSON of an answer; raises what the answer says when it is not the one that was hoped for. */
  jsonOf(response: Response, signal?: AbortSignal): Promise<unknown>;
  get(path: string, options?: Cancellable): Promise<unknown>;
  /** POSTs the value as JSON. */
  post(path: string, body: unknown, options?: Cancellable): Promise<unknown>;
  faultOf(response: Response, body: unknown): Error;
};

export type ConnectionOptions = {
  /** Such as `http://127.0.0.1:6005`. */
  readonly endpoint: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
};

export const createHttpConnection = ({
  endpoint,
  apiKey,
  fetch = globalThis.fetch,
}: ConnectionOptions): HttpConnection => {
  const base = endpoint.replace(/\/+$/, '');

  const send = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${base}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(init.headers as Record<string, string> | undefined),
        },
      });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new VcpUnreachable(
        `no server answers at ${base}; is it started there? (--url, VCP_URL or VCP_PORT say where)`,
        { cause: error },
      );
    }
  };

  const faultOf = (response: Response, body: unknown): Error =>
    isProblem(body)
      ? new VcpProblem(body)
      : new VcpUnreachable(`${base} answered ${response.status} with something that is not ours; is it a vcp-runtime?`);

  const jsonOf = async (response: Response, signal?: AbortSignal): Promise<unknown> => {
    const body: unknown = await response.json().catch(() => null);
    signal?.throwIfAborted();
    if (response.ok && body !== null) return body;
    throw faultOf(response, body);
  };

  return {
    base,
    send,
    jsonOf,
    faultOf,
    get: async (path, { signal } = {}) => jsonOf(await send(path, signal === undefined ? {} : { signal }), signal),
    post: async (path, body, { signal } = {}) => {
      const init = { method: 'POST', body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) };
      return await jsonOf(await send(path, init), signal);
    },
  };
};

type StreamedResponse = Response & { readonly body: ReadableStream<Uint8Array> };

export const isEventStream = (response: Response): response is StreamedResponse =>
  response.body !== null && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as { code?: unknown }).code === 'string' &&
  typeof (body as { detail?: unknown }).detail === 'string';
