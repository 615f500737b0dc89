import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { Callback } from '../../../src/protocol/callback.ts';
import type { AppEnvironment } from '../../../src/server/app-environment.ts';
import { callbackRoutes, type CallbackDependencies } from '../../../src/server/routes/callbacks.ts';

/** Where asynchronous plugins call back: the route of the server, on a real socket. */
export type CallbackEndpoint = {
  readonly url: string;
  /** What was posted, as the plugin wrote it, in its order. */
  readonly posted: readonly unknown[];
  /** Takes callbacks from now on. */
  open(dependencies: CallbackDependencies): void;
  close(): Promise<void>;
};

export const createCallbackEndpoint = async (): Promise<CallbackEndpoint> => {
  const posted: unknown[] = [];
  let routes: Hono<AppEnvironment> | null = null;
  const app = new Hono<AppEnvironment>().post('*', async (c) => {
    posted.push(await c.req.raw.clone().json());
    return (await routes?.fetch(c.req.raw, c.env)) ?? c.notFound();
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    open: (dependencies) => (routes = callbackRoutes(dependencies)),
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
};

/** The last payload that was posted as the end of a task; undefined when there was none. */
export const postedEnd = ({ posted }: CallbackEndpoint): unknown =>
  posted
    .map((body) => Callback.safeParse(body).data)
    .flatMap((callback) => (callback !== undefined && 'result' in callback ? [callback.result] : []))
    .at(-1);
