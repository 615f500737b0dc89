// `AppType` with the client of hono: paths, parameters and bodies are those of the routes, at compile time.
import { hc } from 'hono/client';
import { expect, it } from 'vitest';
import type { AppType } from '../../../src/server/create-app.ts';
import { createMemoryApp } from '../../support/memory-runtime.ts';

it('gives a client that knows the routes', async () => {
  const { app } = createMemoryApp();
  const client = hc<AppType>('http://server.test', {
    headers: { authorization: 'Bearer key-of-alice' },
    fetch: async (input: RequestInfo | URL, init?: RequestInit) =>
      await app.request(new Request(input as string, init)),
  });
  const called = await client.v1.human.tool.$post({ query: {}, json: { tool: 'Sample', arguments: {} } });
  expect(await called.json()).toMatchObject({ status: 'success' });
  const { records } = (await (await client.v1.records.$get({ query: { limit: '1' } })).json()) as { records: object[] };
  expect(records).toHaveLength(1);
  const unknown = await client.v1.results[':id'].$get({ param: { id: 'tr_x' }, query: {} });
  expect(unknown.status).toBe(404);
  // @ts-expect-error there is no such route
  expect(client.v2).toBeDefined();
});
