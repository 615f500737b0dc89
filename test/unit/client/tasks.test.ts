// Following a task over connections that break off.
import { describe, expect, it, vi } from 'vitest';
import { createVcpClient, VcpProblem, VcpUnreachable } from '../../../src/client/index.ts';

const ID = 'task_01K00000000000000000000000';
const task = (state: string, progress: number | null = null) =>
  `event: task\ndata: ${JSON.stringify({ id: ID, state, progress })}\n\n`;
const RESULT = 'event: result\ndata: {"id":"tr_1","status":"success"}\n\n';

type Answer = string | Response | Error;

/** A client of a server that answers one request after another so. */
const clientOf = (...answers: readonly Answer[]) => {
  const asked: string[] = [];
  const client = createVcpClient({
    endpoint: 'http://server.test',
    apiKey: 'k',
    fetch: async (input, init) => {
      asked.push(`${init?.method ?? 'GET'} ${(input as string).slice('http://server.test'.length)}`);
      const answer = answers[Math.min(asked.length, answers.length) - 1] as Answer;
      if (answer instanceof Error) throw answer;
      return answer instanceof Response
        ? answer.clone()
        : new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { client, asked };
};

const problem = (status: number, code: string) =>
  Response.json({ type: 'urn:x', title: 'x', status, detail: 'no', code }, { status });

describe('waiting for a task', () => {
  it('tells of its changes and gives its result', async () => {
    const { client, asked } = clientOf(
      `: keep-alive\n\n${task('running')}${task('running', 0.5)}${task('completed')}${RESULT}`,
    );
    const seen: unknown[] = [];
    const result = await client.waitForTask(ID, { onTask: ({ state, progress }) => seen.push([state, progress]) });
    expect(result).toEqual({ id: 'tr_1', status: 'success' });
    expect(seen).toEqual([
      ['running', null],
      ['running', 0.5],
      ['completed', null],
    ]);
    expect(asked).toEqual([`GET /v1/tasks/${ID}/events`]);
  });

  it('goes on after a connection that broke off, and one that was not made', async () => {
    const { client, asked } = clientOf(task('running'), new TypeError('refused'), task('completed') + RESULT);
    expect(await client.waitForTask(ID)).toMatchObject({ id: 'tr_1' });
    expect(asked).toHaveLength(3);
  });

  it('raises what the server says of it', async () => {
    const { client, asked } = clientOf(problem(404, 'NOT_FOUND'));
    await expect(client.waitForTask(ID)).rejects.toThrow(VcpProblem);
    expect(asked).toHaveLength(1);
    const broken = clientOf(
      `${task('running')}event: problem\ndata: {"type":"urn:x","title":"x","status":500,"detail":"no","code":"INTERNAL_ERROR"}\n\n`,
    );
    await expect(broken.client.waitForTask(ID)).rejects.toThrow(VcpProblem);
  });

  it('does not wait for the result of a task that has none any more', async () => {
    const { client, asked } = clientOf(task('failed'));
    await expect(client.waitForTask(ID)).rejects.toThrow('has ended as failed');
    expect(asked).toHaveLength(1);
  });

  it('gives up a server that does not come back', async () => {
    vi.useFakeTimers();
    try {
      const { client, asked } = clientOf(new TypeError('refused'));
      const waiting = expect(client.waitForTask(ID)).rejects.toThrow(VcpUnreachable);
      await vi.runAllTimersAsync();
      await waiting;
      expect(asked).toHaveLength(6);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends with its signal, also between two connections', async () => {
    const { client } = clientOf(new TypeError('refused'));
    const controller = new AbortController();
    const waiting = client.waitForTask(ID, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });
});

it('lists, reads and cancels tasks', async () => {
  const { client, asked } = clientOf(Response.json({ tasks: [], nextCursor: null }));
  await client.listTasks({ tool: 'Slow one', state: 'running' });
  await client.getTask(ID);
  await client.cancelTask(ID, 'no need');
  expect(asked).toEqual([
    'GET /v1/tasks?tool=Slow+one&state=running',
    `GET /v1/tasks/${ID}`,
    `POST /v1/tasks/${ID}/cancel`,
  ]);
});
