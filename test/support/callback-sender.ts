// Sends callbacks as an asynchronous plugin would. Portable.
import type { TransportCall } from '../../src/ports/transport.ts';
import type { MemoryApp } from './memory-runtime.ts';

export type SentCallback = {
  readonly id?: string | null;
  /** Unix seconds; now by default. */
  readonly timestamp?: number | string | null;
  readonly token?: string | null;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly contentType?: string;
};

let made = 0;

/** The body of a callback that ends a task, or tells of its progress. */
export const callbackBody = (taskId: string, said: { result: unknown } | { progress: unknown }) => ({
  protocol: { name: 'vcp.tool-result-callback', version: '1.0' },
  taskId,
  ...said,
});

/** A callback to a real server, as `fetch` takes it. */
export const callbackRequest = (token: string, webhookId: string, body: string): RequestInit => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    authorization: `VCP-Plugin ${token}`,
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
  },
  body,
});

export const sendCallback = async (
  { app }: Pick<MemoryApp, 'app'>,
  call: TransportCall,
  body: unknown,
  { id, timestamp, token, path, headers = {}, contentType = 'application/json' }: SentCallback = {},
): Promise<Response> => {
  made += 1;
  const task = call.task!;
  const all: Record<string, string | null> = {
    'content-type': contentType,
    authorization: token === null ? null : `VCP-Plugin ${token ?? task.token}`,
    'webhook-id': id === undefined ? `msg_${made}` : id,
    'webhook-timestamp': timestamp === null ? null : String(timestamp ?? Math.floor(Date.now() / 1_000)),
    ...headers,
  };
  const sent = Object.fromEntries(
    Object.entries(all).filter((header): header is [string, string] => header[1] !== null),
  );
  return await app.request(path ?? new URL(task.callbackUrl).pathname, {
    method: 'POST',
    headers: sent,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
};
