import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** What a service answered, by path: a status, headers, and a file beside the list that holds the body. */
const Recordings = z.record(
  z.string().startsWith('/'),
  z.strictObject({
    status: z.int().default(200),
    headers: z.record(z.string(), z.string()).default({}),
    file: z.string().optional(),
  }),
);

/**
 * Plays recorded answers to a plugin that needs a service (§17.5), on loopback: its own requests are real. A path that
 * was not recorded is 404. `baseUrl` has no slash at its end.
 */
export const playRecordings = async (list: string): Promise<{ readonly baseUrl: string; close(): Promise<void> }> => {
  const recordings = Recordings.parse(JSON.parse(await readFile(list, 'utf8')));
  const server = createServer((request, response) => {
    const recorded = recordings[new URL(request.url ?? '/', 'http://recorded').pathname];
    const answer = async () => {
      const body = recorded?.file === undefined ? '' : await readFile(join(dirname(list), recorded.file));
      response.writeHead(recorded?.status ?? 404, recorded?.headers ?? {}).end(body);
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
};
