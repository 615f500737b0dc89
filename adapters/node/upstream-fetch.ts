import { Agent, fetch, type RequestInit as UndiciRequestInit } from 'undici';
import type { UpstreamFetch } from '../../src/chat/models/transport/connection.ts';

/** Milliseconds in which a connection must have been made. */
const CONNECT_MS = 10_000;

/**
 * The fetch for the upstream, on Node and Deno. The runtime's own gives up after five minutes without a byte, which
 * models may take to think; here the limits of the upstream are the only ones. `close` ends all its connections.
 */
export const createUpstreamFetch = (): { readonly fetch: UpstreamFetch; close(): Promise<void> } => {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } });
  return {
    // The same standard on both sides, written down twice: undici's types and the web's.
    fetch: async (url, init) =>
      (await fetch(url, { ...(init as UndiciRequestInit), dispatcher: agent })) as unknown as Response,
    close: () => agent.destroy(),
  };
};
