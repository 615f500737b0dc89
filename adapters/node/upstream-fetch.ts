import { Agent, fetch as undiciFetch, type RequestInit as UndiciRequestInit } from 'undici';
import type { UpstreamFetch } from '../../src/chat/models/transport/connection.ts';

/** Milliseconds in which a connection must have been made. */
const CONNECT_MS = 10_000;

/**
 * The fetch for the upstream, on Node and Deno. Node's own gives up after five minutes without a byte, which models may
 * take to think; here the limits of the upstream are the only ones. Deno's own has no such limit, and undici on Deno
 * does not notice a connection that breaks within an answer. `close` ends the connections.
 */
export const createUpstreamFetch = (): { readonly fetch: UpstreamFetch; close(): Promise<void> } => {
  if ('Deno' in globalThis) return { fetch: (url, init) => fetch(url, init), close: async () => undefined };
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } });
  return {
    // The same standard on both sides, written down twice: undici's types and the web's.
    fetch: async (url, init) =>
      (await undiciFetch(url, { ...(init as UndiciRequestInit), dispatcher: agent })) as unknown as Response,
    close: () => agent.destroy(),
  };
};
