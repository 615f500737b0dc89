// The memory app behind a real server, and clients on real sockets.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { nodeConnections } from '../../adapters/node/node-connections.ts';
import { createSocketServer, isSocketRequest, nodeUpgradeSocket } from '../../adapters/node/upgrade-socket.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { AppDependencies } from '../../src/server/app-environment.ts';
import { createPushClients, type PushClients } from '../../src/server/push/push-clients.ts';
import { createMemoryApp, type MemoryApp, type MemoryRuntimeOptions } from './memory-runtime.ts';
import { recordMetrics, type RecordedMetrics } from './recorded-metrics.ts';
import { silentLogger } from './silent-logger.ts';
import { openSocketClient, refusedSocket, type SocketClient } from './socket-client.ts';

export type PushServer = MemoryApp & {
  readonly url: string;
  readonly push: PushClients;
  readonly metrics: RecordedMetrics;
  connect(query?: string, as?: string | null, headers?: Record<string, string>): Promise<SocketClient>;
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
      return await openSocketClient(socketUrl(`/v1/ws${query}`), { ...key, ...headers });
    },
    refused: (path, headers = {}) => refusedSocket(socketUrl(path), headers),
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
