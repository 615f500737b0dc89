// Long work through a real server: from the call to the callback, and through the death of the server in between.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { TaskDescription } from '../../src/protocol/task-listing.ts';
import { callbackBody, callbackRequest } from '../support/callback-sender.ts';
import { processesWith, until } from '../support/processes.ts';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

/** Prints what it was told of its task, so that a test can call back in its place. */
const HANDS_OUT = `export const processToolCall = async ({ wait = 0 }, { task }) => {
  await new Promise((resolve) => setTimeout(resolve, wait));
  task.handOver();
  const { id, callbackUrl, token } = task;
  return { status: 'accepted', data: { callbackUrl, token }, task: { id, state: 'running' } };
};
`;
/** Works on in the server itself. */
const IN_PROCESS = `export const processToolCall = async ({ ms = 50 }, { task, signal }) => {
  setTimeout(async () => {
    if (signal.aborted) return;
    task.progress({ progress: 0.5 });
    const refused = await task.finish({ status: 'success', data: 1 });
    await task.finish({ status: 'success', data: { text: refused.ok ? 'taken' : refused.issues[0].pointer } });
  }, ms);
  return { status: 'accepted', data: null, task: { id: task.id, state: 'running' } };
};
`;
const ASYNC = { more: { pluginType: 'asynchronous' }, commandMore: { async: true } };
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

let home: ReturnType<typeof temporaryHome>;
let trusted: string;
beforeEach(() => {
  home = temporaryHome();
  writePlugin(home.plugins, { ...ASYNC, name: 'Painter', command: 'node', args: ['async.mjs'], outputSchema: TEXT });
  const handsOut = writePlugin(home.plugins, { ...ASYNC, name: 'HandsOut', module: 'a.mjs', moduleText: HANDS_OUT });
  const inProcess = writePlugin(home.plugins, {
    ...ASYNC,
    name: 'InProcess',
    module: 'b.mjs',
    moduleText: IN_PROCESS,
    outputSchema: TEXT,
  });
  trusted = `${handsOut.sha256},${inProcess.sha256}`;
});
afterEach(() => home.remove());

const start = (environment: Record<string, string> = {}) =>
  startServerProcess(home, { VCP_TRUSTED_MODULES: trusted, VCP_LOG_LEVEL: 'debug', ...environment });

const taskOf = async (server: ServerProcess, id: string) =>
  (await (await server.request(`/v1/tasks/${id}`)).json()) as TaskDescription;
const endOf = async (server: ServerProcess, id: string): Promise<TaskDescription> => {
  await until('the task has ended', async () => (await taskOf(server, id)).resultId !== null);
  return await taskOf(server, id);
};
const resultOf = async (server: ServerProcess, id: string) =>
  (await (await server.request(`/v1/results/${id}`)).json()) as CanonicalToolResult;

type Handed = { readonly callbackUrl: string; readonly token: string };

/** A callback from outside, to wherever the server listens now. */
const callBack = (
  server: ServerProcess,
  taskId: string,
  { callbackUrl, token }: Handed,
  { webhookId = 'msg_1', text = 'from outside', path = new URL(callbackUrl).pathname } = {},
) =>
  fetch(
    `${server.url}${path}`,
    callbackRequest(
      token,
      webhookId,
      JSON.stringify(callbackBody(taskId, { result: { status: 'success', data: { text } } })),
    ),
  );

/** The status of the answer to a callback that says how long it will be and then sends no more than its beginning. */
const announce = async (server: ServerProcess, taskId: string, { token }: Handed, length: number) => {
  const asking = httpRequest(`${server.url}/plugin-callback/HandsOut/${taskId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': length,
      authorization: `VCP-Plugin ${token}`,
      'webhook-id': 'msg_long',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    },
  });
  asking.write('{"protocol":');
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  asking.on('error', () => undefined).destroy();
  return answer.statusCode;
};

const handedOut = async (server: ServerProcess) => {
  const accepted = await server.call('HandsOut');
  return { id: accepted.task!.id, accepted, handed: accepted.data as unknown as Handed };
};

describe('an asynchronous call', () => {
  it('is accepted, calls back and is read by its owner; every trace of it has its ids', async () => {
    const server = await start();
    const accepted = await server.call('Painter', { how: 'callback', ms: 100, text: 'a picture' });
    expect(accepted).toMatchObject({ status: 'accepted', task: { state: 'running' } });
    const taskId = accepted.task!.id;
    const stream = await server.request(`/v1/tasks/${taskId}/events?view=ai`);
    const text = await stream.text();
    expect(text.match(/^event: \w+$/gm)?.at(-1)).toBe('event: result');
    expect(text).toContain('a picture');

    const task = await endOf(server, taskId);
    const result = await resultOf(server, task.resultId!);
    expect(result).toMatchObject({ status: 'success', data: { text: 'a picture' }, task: { id: taskId } });
    const { invocationId, requestId } = accepted.execution;
    expect(task).toMatchObject({ invocationId, requestId, acceptedResultId: accepted.id, tool: 'Painter' });
    expect(result.execution).toMatchObject({ invocationId, requestId });
    const listed = (await (await server.request('/v1/records?tool=Painter')).json()) as {
      records: { id: string; invocationId: string; requestId: string; resultId: string }[];
    };
    expect(listed.records.map(({ id, resultId }) => [id, resultId])).toEqual([
      [result.execution.recordId, result.id],
      [accepted.execution.recordId, accepted.id],
    ]);
    for (const record of listed.records) expect(record).toMatchObject({ invocationId, requestId });

    const lines = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(taskId));
    for (const event of ['task.accepted', 'call.finished', 'callback.received', 'task.ended']) {
      const line = lines.find((one) => one.includes(event));
      expect(line, event).toBeDefined();
      for (const id of [taskId, invocationId, 'Painter']) expect(line).toContain(id);
    }
    // The token of a task stands nowhere in the log.
    expect(server.stderr()).not.toMatch(/eyJ[\w-]+\.eyJ/);
    server.kill('SIGTERM');
    expect((await server.exit).code).toBe(0);
  });

  it('may go on inside the server, and finish there', async () => {
    const server = await start();
    const accepted = await server.call('InProcess');
    const task = await endOf(server, accepted.task!.id);
    expect((await resultOf(server, task.resultId!)).data).toEqual({ text: '/data' });
    server.kill('SIGTERM');
    await server.exit;
  });

  it('is cancelled, and its process ended', async () => {
    const server = await start();
    const accepted = await server.call('Painter', { how: 'hang' });
    const answer = await server.request(`/v1/tasks/${accepted.task!.id}/cancel`, { method: 'POST', body: '{}' });
    expect(await answer.json()).toMatchObject({ state: 'cancelled' });
    await until('its process has gone', () => processesWith(`${home.data}/plugins/Painter`).length === 0);
    server.kill('SIGTERM');
    await server.exit;
  });

  it('is ended by one of twenty callbacks at once, and by none that goes astray', async () => {
    const server = await start();
    const { id, handed } = await handedOut(server);
    const files = () => readdirSync(home.root, { recursive: true }).map(String).toSorted();
    const before = files();
    const astray = [
      `/plugin-callback/..%2F..%2F..%2Fetc/${id}`,
      `/plugin-callback/HandsOut%2F..%2F..%2Fx/${id}`,
      `/plugin-callback/HandsOut/..%2F..%2F${id}`,
      `/plugin-callback/HandsOut/${id}%2F..%2Fx`,
      `/plugin-callback/HandsOut/${id}%00.json`,
    ];
    for (const path of astray) expect((await callBack(server, id, handed, { path })).status, path).toBe(404);
    expect((await callBack(server, id, handed, { path: `/plugin-callback/Painter/${id}` })).status).toBe(401);
    // Its length alone tells; who sends all of it may find the connection closed before the answer is read.
    expect(await announce(server, id, handed, 17_000_000)).toBe(413);
    expect(files()).toEqual(before);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        callBack(server, id, handed, { webhookId: `msg_${index}`, text: `text ${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const task = await taskOf(server, id);
    expect((await resultOf(server, task.resultId!)).data).toEqual({ text: `text ${winner}` });
    server.kill('SIGTERM');
    await server.exit;
  });

  it('is over in time', async () => {
    const server = await start({ VCP_LIMIT_TASK_MS: '400', VCP_LIMIT_TASK_SWEEP_MS: '50' });
    const { id, handed } = await handedOut(server);
    const task = await endOf(server, id);
    expect(task.state).toBe('timed_out');
    expect(await resultOf(server, task.resultId!)).toMatchObject({
      status: 'timeout',
      error: { code: 'TOOL_TIMEOUT' },
    });
    expect((await callBack(server, id, handed)).status).toBe(409);
    server.kill('SIGTERM');
    await server.exit;
  });
});

describe('a server that stops', () => {
  it('in order ends the tasks of its processes, and leaves those of others', async () => {
    const server = await start();
    const working = await server.call('Painter', { how: 'hang' });
    const { id } = await handedOut(server);
    server.kill('SIGTERM');
    expect((await server.exit).code).toBe(0);
    const next = await start();
    const task = await taskOf(next, working.task!.id);
    expect(task.state).toBe('failed');
    expect(await resultOf(next, task.resultId!)).toMatchObject({
      error: { code: 'TRANSPORT_FAILURE', retryable: true },
    });
    expect((await taskOf(next, id)).state).toBe('running');
    next.kill('SIGTERM');
    await next.exit;
  });

  it('by kill -9 after it has accepted: the callback finds its task after the restart', async () => {
    const server = await start();
    const { id, handed, accepted } = await handedOut(server);
    server.kill('SIGKILL');
    await server.exit;
    const next = await start();
    const answer = await callBack(next, id, handed);
    expect(answer.status).toBe(200);
    const task = await taskOf(next, id);
    expect(task).toMatchObject({ state: 'completed', acceptedResultId: accepted.id });
    expect((await resultOf(next, task.resultId!)).data).toEqual({ text: 'from outside' });
    next.kill('SIGTERM');
    await next.exit;
  });

  it('by kill -9 before it has accepted: the task is there, and its time ends it', async () => {
    const server = await start();
    const call = server.call('HandsOut', { wait: 60_000 }).catch(() => undefined);
    const listed = async (at: ServerProcess) =>
      ((await (await at.request('/v1/tasks')).json()) as { tasks: TaskDescription[] }).tasks;
    await until('the task is there', async () => (await listed(server)).length === 1);
    const [task] = await listed(server);
    server.kill('SIGKILL');
    await Promise.all([server.exit, call]);
    const next = await start({ VCP_LIMIT_TASK_SWEEP_MS: '50' });
    expect(await taskOf(next, task!.id)).toMatchObject({ state: 'created', acceptedResultId: null });
    next.kill('SIGTERM');
    await next.exit;
  });

  it('by kill -9 at the moment of the callback: ended once, or still open', async () => {
    for (const delay of [0, 1, 2, 4, 8]) {
      const server = await start();
      const { id, handed } = await handedOut(server);
      const answer = callBack(server, id, handed).then(
        ({ status }) => status,
        () => null,
      );
      await sleep(delay);
      server.kill('SIGKILL');
      await server.exit;
      const status = await answer;
      const next = await start();
      const before = await taskOf(next, id);
      // What was answered is true for good; what was not answered may have been taken.
      if (status === 200) expect(before.state).toBe('completed');
      expect((await callBack(next, id, handed)).status).toBe(200);
      const after = await taskOf(next, id);
      expect(after.state).toBe('completed');
      if (before.resultId !== null) expect(after.resultId).toBe(before.resultId);
      next.kill('SIGKILL');
      await next.exit;
    }
  }, 60_000);
});
