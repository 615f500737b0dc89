// The memory app behind a real server, and clients on real sockets.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { WebSocket } from 'ws';
import { nodeConnections } from '../../adapters/node/node-connections.ts';
import { createSocketServer, isSocketRequest, nodeUpgradeSocket } from '../../adapters/node/upgrade-socket.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { AppDependencies } from '../../src/server/app-environment.ts';
import { createPushClients, type PushClients } from '../../src/server/push/push-clients.ts';
import { createMemoryApp, type MemoryApp, type MemoryRuntimeOptions } from './memory-runtime.ts';
import { recordMetrics, type RecordedMetrics } from './recorded-metrics.ts';
import { silentLogger } from './silent-logger.ts';

type Received = { readonly type: string; readonly [field: string]: unknown };

/** A client on `/v1/ws`, and everything that it was sent. */
export type SocketClient = {
  readonly socket: WebSocket;
  readonly received: Received[];
  send(message: object | string): void;
  /** The first message that fits, from those that came and those that will. */
  next(fits: (message: Received) => boolean): Promise<Received>;
  /** The messages of a type. */
  of(type: string): Received[];
  readonly closed: Promise<{ code: number; reason: string }>;
};

export type PushServer = MemoryApp & {
  readonly url: string;
  readonly push: PushClients;
  readonly metrics: RecordedMetrics;
  connect(query?: string, as?: string | null, headers?: Record<string, string>): Promise<SocketClient>;
  /** The status of the answer to a request for a WebSocket that is refused. */
  refused(path: string, headers?: Record<string, string>): Promise<number>;
  ticket(as?: string): Promise<string>;
  close(): Promise<void>;
};

export const startPushServer = async (
  options: MemoryRuntimeOptions & { readonly app?: Partial<AppDependencies> } = {},
): Promise<PushServer> => {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const metrics = recordMetrics();
  const push = createPushClients({ limits, metrics, logger: silentLogger });
  const memory = createMemoryApp({
    ...options,
    app: { push, upgradeSocket: nodeUpgradeSocket, connections: nodeConnections, ...options.app },
  });
  const server = createAdaptorServer({
    fetch: memory.app.fetch,
    websocket: { server: createSocketServer(limits) },
    serverOptions: { shouldUpgradeCallback: isSocketRequest },
  }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const socketUrl = (path: string) => `${url.replace('http', 'ws')}${path}`;

  return {
    ...memory,
    url,
    push,
    metrics,
    connect: async (query = '', as = 'alice', headers = {}) => {
      const key: Record<string, string> = as === null ? {} : { authorization: `Bearer key-of-${as}` };
      const socket = new WebSocket(socketUrl(`/v1/ws${query}`), { headers: { ...key, ...headers } });
      const client = clientOf(socket);
      await client.next(({ type }) => type === 'subscribed');
      return client;
    },
    refused: async (path, headers = {}) => {
      const socket = new WebSocket(socketUrl(path), { headers });
      socket.on('error', () => undefined);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      socket.terminate();
      return response.statusCode;
    },
    ticket: async (as = 'alice') => {
      const response = await memory.send('/v1/tickets', { method: 'POST', as });
      return ((await response.json()) as { ticket: string }).ticket;
    },
    close: async () => {
      push.close();
      push.terminate();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};

const clientOf = (socket: WebSocket): SocketClient => {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString('utf8')) as Received);
    for (const look of waiting) look();
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
  return {
    socket,
    received,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    of: (type) => received.filter((message) => message.type === type),
    next: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = received.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void closed.then(({ code }) => reject(new Error(`closed with ${code} before the message came`)));
        look();
      }),
  };
};
