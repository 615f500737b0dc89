import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test does to requests of a server to its receiver: an answer in the place of the receiver's, or null. */
export type Meddling = (request: { readonly method: string; readonly path: string }) => Promise<Response | null>;

export type InboxProxy = {
  readonly url: string;
  /** What was asked, as `GET /v1/inbox`. */
  readonly asked: string[];
  meddle(how: Meddling | null): void;
  close(): void;
};

/** Stands between a server and its receiver. */
export const startInboxProxy = async (receiverUrl: () => string): Promise<InboxProxy> => {
  const asked: string[] = [];
  let meddling: Meddling | null = null;
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request;
    asked.push(`${method} ${path.split('?')[0]}`);
    try {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const answer =
        (await meddling?.({ method, path })) ??
        (await fetch(`${receiverUrl()}${path}`, {
          method,
          headers: {
            authorization: request.headers.authorization ?? '',
            'content-type': request.headers['content-type'] ?? 'application/json',
          },
          ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }),
        }));
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      response.destroy();
    }
  };
  const server = createServer((request, response) => void relay(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    meddle: (how) => (meddling = how),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
