import { Agent, request } from 'node:http';

/** An answer with its body as text: whether it is JSON is for the caller to find out. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A plain keep-alive client; `node:http` itself, because the load generator shares two cores with the server. */
export interface JsonClient {
  send(method: 'GET' | 'POST', path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

export function createJsonClient(baseUrl: string, defaults: Record<string, string>, connections: number): JsonClient {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send(method, path, body, extra) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const headers: Record<string, string | number> = { ...defaults, ...extra };
      if (body !== undefined) {
        headers['content-type'] = 'application/json';
        headers['content-length'] = Buffer.byteLength(body);
      }
      const outgoing = request({ agent, hostname, port, method, path, headers }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}
