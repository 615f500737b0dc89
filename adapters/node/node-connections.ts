import type { HttpBindings } from '@hono/node-server';
import type { ConnectionInfo } from '../../src/server/app-environment.ts';

/**
 * Asks Node's own request and response. The `signal` of the web Request would tell the same, but reading it makes the
 * server build a whole Request and its streams, which costs more than the call of a small tool.
 */
export const nodeConnections: ConnectionInfo = {
  // The request for a WebSocket has no response.
  clientAddress: (env) => bindingsOf(env)?.incoming?.socket.remoteAddress ?? null,
  clientGone: (env) => {
    const outgoing = bindingsOf(env)?.outgoing;
    if (outgoing === undefined) return null;
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    return gone.signal;
  },
  cut: (env) => void bindingsOf(env)?.outgoing?.destroy(),
};

const bindingsOf = (env: unknown): Partial<HttpBindings> | undefined => env as Partial<HttpBindings> | undefined;
