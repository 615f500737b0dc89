// A client on `/v1/ws` of any server, over a real socket.
import { once } from 'node:events';
import { WebSocket } from 'ws';

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

/** Opens one, which has been told that it is subscribed. */
export const openSocketClient = async (url: string, headers: Record<string, string>): Promise<SocketClient> => {
  const client = clientOf(new WebSocket(url, { headers }));
  await client.next(({ type }) => type === 'subscribed');
  return client;
};

/** The status of the answer to a request for a WebSocket that is refused. */
export const refusedSocket = async (url: string, headers: Record<string, string>): Promise<number> => {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
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
