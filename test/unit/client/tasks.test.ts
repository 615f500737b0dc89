import { expect, it } from 'vitest';
import { createVcpClient } from '../../../src/client/index.ts';

const ID = 'task_01K00000000000000000000000';

it('lists, reads and cancels tasks', async () => {
  const asked: string[] = [];
  const client = createVcpClient({
    endpoint: 'http://server.test',
    apiKey: 'k',
    fetch: async (input, init) => {
      asked.push(`${init?.method ?? 'GET'} ${(input as string).slice('http://server.test'.length)}`);
      return Response.json({ tasks: [], nextCursor: null });
    },
  });
  await client.listTasks({ tool: 'Slow one', state: 'running' });
  await client.getTask(ID);
  await client.cancelTask(ID, { reason: 'no need' });
  expect(asked).toEqual([
    'GET /v1/tasks?tool=Slow+one&state=running',
    `GET /v1/tasks/${ID}`,
    `POST /v1/tasks/${ID}/cancel`,
  ]);
});
