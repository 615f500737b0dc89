import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What examples/sandboxed/JobRelay hands over. */
export type Job = {
  readonly kind: string;
  readonly arguments: { readonly prompt: string };
  readonly taskId: string;
  readonly callbackUrl: string;
  readonly token: string;
};

export type JobService = {
  readonly port: number;
  /** The next job that nobody has taken yet, once it has come. */
  next(): Promise<Job>;
  close(): Promise<void>;
};

/** Plays the service that works on the jobs of others: it takes them, and whoever has it calls back. */
export const startJobService = async (): Promise<JobService> => {
  const jobs: Job[] = [];
  const waiting: ((job: Job) => void)[] = [];
  const server = createServer((request, response) => {
    void json(request).then(
      (body) => {
        const taker = waiting.shift();
        if (taker === undefined) jobs.push(body as Job);
        else taker(body as Job);
        response.writeHead(202).end();
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    next: () => {
      const job = jobs.shift();
      return job === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(job);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
