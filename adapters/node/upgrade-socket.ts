import { upgradeWebSocket, type WebSocketServerLike } from '@hono/node-server';
import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Limits } from '../../src/lib/limits.ts';
import type { SocketListener, UpgradeSocket } from '../../src/server/push/push-socket.ts';

/** Where WebSockets are served; for what else may be asked for there, an upgrade is passed over (RFC 9110 §7.8). */
const PATHS = /^\/v1\/ws(?:[/?]|$)/;

/** Whether Node shall hand this request over as one for a WebSocket, or answer it as any other. */
export const isSocketRequest = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATHS.test(url ?? '');

/** Milliseconds that a client has to answer a close before it is cut off. */
const CLOSING = { closeTimeout: 3_000 };

/** Small messages that are sent to thousands are not compressed: that costs more than it saves. */
export const createSocketServer = (limits: Pick<Limits, 'pushMessageBytes'>): WebSocketServerLike => {
  const options = { noServer: true, maxPayload: limits.pushMessageBytes, perMessageDeflate: false };
  return new WebSocketServer({ ...options, ...CLOSING }) as object as WebSocketServerLike;
};

/** WebSockets on Node and Deno. */
export const nodeUpgradeSocket: UpgradeSocket = (c, open) => {
  let listener: SocketListener | null = null;
  return upgradeWebSocket(c, {
    onOpen: (_, { raw }) => {
      const socket = raw as unknown as WebSocket;
      listener = open({
        send: (text, onSent) => {
          if (socket.readyState === socket.OPEN) socket.send(text, { binary: false }, onSent);
          else onSent();
        },
        ping: () => {
          if (socket.readyState === socket.OPEN) socket.ping();
        },
        close: (code, reason) => socket.close(code, reason),
        terminate: () => socket.terminate(),
      });
      socket.on('pong', () => listener?.pong());
    },
    onMessage: ({ data }) => listener?.message(typeof data === 'string' ? data : null),
    onClose: () => listener?.closed(),
  });
};
