// Waiting for the end of a task, over connections that do not last.
import { describe, expect, it } from 'vitest';
import { createVcpClient, VcpProblem } from '../../../src/client/vcp-client.ts';

const task = (state: string, more: object = {}) => ({ id: 'task_1', state, progress: null, resultId: null, ...more });
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const stream = (...events: string[]) =>
  new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
const problem = (status: number, code: string) => Response.json({ status, code, detail: code }, { status });

/** A client whose requests are answered in turn: a response, or a connection that fails. */
const clientOf = (answers: (Response | Error)[]) => {
  const asked: string[] = [];
  const client = createVcpClient({
    endpoint: 'http://server.test',
    apiKey: 'key',
    fetch: async (input) => {
      asked.push(new URL(input as string).pathname);
      const answer = answers.shift() ?? new TypeError('nobody is there');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { client, asked };
};

describe('waitForTask', () => {
  it('tells of each change once, and gives the result', async () => {
    const running = event('task', task('running', { progress: 0.5 }));
    const { client } = clientOf([
      stream(event('task', task('queued')), running, running, event('result', { id: 'tr_1' })),
    ]);
    const seen: string[] = [];
    const result = await client.waitForTask('task_1', { onChange: ({ state }) => void seen.push(state) });
    expect(result).toEqual({ id: 'tr_1' });
    expect(seen).toEqual(['queued', 'running']);
  });

  it.each([
    ['breaks off', [stream(event('task', task('running'))), Response.json(task('running'))]],
    ['is refused by a server that stops', [problem(503, 'SHUTTING_DOWN')]],
    ['finds nobody', [new TypeError('refused')]],
    ['ends within an event', [stream('event: result\ndata: {"id"\n\n'), new TypeError('refused')]],
  ])('connects again when a connection %s', async (_, first) => {
    const { client } = clientOf([...first, stream(event('result', { id: 'tr_1' }))]);
    expect(await client.waitForTask('task_1')).toEqual({ id: 'tr_1' });
  });

  it('asks for the task, and for its result, where no stream comes through', async () => {
    const ended = Response.json(task('completed', { resultId: 'tr_1' }));
    const { client, asked } = clientOf([stream(), ended, Response.json({ id: 'tr_1' })]);
    expect(await client.waitForTask('task_1')).toEqual({ id: 'tr_1' });
    expect(asked).toEqual(['/v1/tasks/task_1/events', '/v1/tasks/task_1', '/v1/results/tr_1']);
  });

  it('raises at once what will not get better', async () => {
    const { client, asked } = clientOf([problem(404, 'NOT_FOUND')]);
    await expect(client.waitForTask('task_1')).rejects.toBeInstanceOf(VcpProblem);
    expect(asked).toHaveLength(1);
  });

  it('says so when the result of an ended task is not kept any more', async () => {
    const { client } = clientOf([stream(event('task', task('failed'))), Response.json(task('failed'))]);
    await expect(client.waitForTask('task_1')).rejects.toThrow('is not kept any more');
  });

  it('ends with the reason of its signal, also between two connections', async () => {
    const stop = new AbortController();
    const { client } = clientOf([]);
    const waiting = client.waitForTask('task_1', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });
});
