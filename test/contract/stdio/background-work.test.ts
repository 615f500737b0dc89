// What processes do after they have answered `accepted`: real processes, and callbacks over a real socket.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredTask } from '../../../src/ports/task-store.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { receiveCallback } from '../../../src/runtime/tasks/receive-callback.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesWith, until } from '../../support/processes.ts';

const spec = (mode: 'oneshot' | 'worker', concurrency = 4) => ({
  name: mode === 'oneshot' ? 'Oneshot' : 'Worker',
  command: 'node',
  args: ['async.mjs'],
  more: {
    pluginType: 'asynchronous',
    communication: { protocol: 'stdio', mode, concurrency, timeoutMs: 10_000 },
  },
  commandMore: { async: true },
});

let host: NodeRuntime;
let receiver: Server;
beforeEach(async () => {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
    const { taskId, result } = JSON.parse(text) as { taskId: string; result: JsonValue };
    const task = (await host.tasks.store.get(taskId))!;
    const content = { kind: 'result', result } as const;
    const verdict = await receiveCallback(task, content, String(request.headers['webhook-id']), host.finishing);
    response.writeHead(verdict.verdict === 'taken' ? 200 : 409).end('{}');
  };
  receiver = createServer((request, response) => void receive(request, response));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  host = await openNodeRuntime([spec('oneshot'), spec('worker')], {
    limits: { taskProgressMs: 5, killGraceMs: 300 },
    baseUrl: () => url,
  });
});
afterEach(async () => {
  await host.close();
  receiver.close();
});

const ended = async (id: string): Promise<StoredTask> => {
  await until('the task has ended', async () => (await host.tasks.store.get(id))?.resultId !== null);
  return (await host.tasks.store.get(id))!;
};
const resultOf = async (id: string): Promise<CanonicalToolResult> =>
  (await host.calls.getResult((await ended(id)).resultId!))!.result;
const running = (tool: string) => host.runtime.load().find(({ toolName }) => toolName === tool)?.running ?? 0;
const alive = (tool: string) => processesWith(`${host.dataDirectory}/plugins/${tool}`).length;

describe.each(['Oneshot', 'Worker'])('a process in mode %s', (tool) => {
  it('calls back after it has accepted, and keeps its place until then', async () => {
    const accepted = await host.call(tool, { how: 'callback', ms: 300, text: 'painted' });
    expect(accepted).toMatchObject({ status: 'accepted', task: { state: 'running' } });
    expect(running(tool)).toBe(1);
    expect(await resultOf(accepted.task!.id)).toMatchObject({
      status: 'success',
      data: { text: 'painted' },
      origin: { source: 'callback' },
      execution: { invocationId: accepted.execution.invocationId },
    });
    await until('its place is free', () => running(tool) === 0);
  });

  it('may call back before it accepts', async () => {
    const accepted = await host.call(tool, { how: 'early', text: 'first' });
    const task = await ended(accepted.task!.id);
    expect(task).toMatchObject({ state: 'completed', acceptedResultId: accepted.id });
    await until('its place is free', () => running(tool) === 0);
  });

  it('tells of its progress', async () => {
    const { task } = await host.call(tool, { how: 'progress' });
    await until('the progress has come', async () => (await host.tasks.store.get(task!.id))?.progress === 0.75);
    const told = host.events.filter(({ taskId }) => taskId === task!.id).map(({ progress }) => progress);
    expect(told.at(-1)).toBe(0.75);
    expect((await host.tasks.store.get(task!.id))?.stage).toBe('drawing');
  });

  it('fails its task when it ends badly', async () => {
    const { task } = await host.call(tool, { how: 'fail', ms: 50 });
    const result = await resultOf(task!.id);
    expect(result).toMatchObject({
      status: 'error',
      task: { state: 'failed' },
      error: { code: 'TRANSPORT_FAILURE', details: { exitCode: 3, signal: null } },
    });
    expect(JSON.stringify(result)).toContain('no room on the device');
  });

  it('is told when its task is cancelled', async () => {
    const { task } = await host.call(tool, { how: 'hang' });
    expect(running(tool)).toBe(1);
    await host.tasks.cancel(task!.id);
    expect((await ended(task!.id)).state).toBe('cancelled');
    await until('its place is free', () => running(tool) === 0);
    if (tool === 'Oneshot') await until('the process has gone', () => alive(tool) === 0);
  });

  it('is told when the time of its task is over', async () => {
    const { task } = await host.call(tool, { how: 'hang' });
    const stored = (await host.tasks.store.get(task!.id))!;
    expect(stored.state).toBe('running');
    await host.tasks.store.advance(task!.id, { progress: 0.1, at: Date.now() });
    host.setNow(stored.expiresAt + 1);
    await host.tasks.sweep();
    expect((await ended(task!.id)).state).toBe('timed_out');
    await until('its place is free', () => running(tool) === 0);
  });

  it('ends with the server, and its task with it', async () => {
    const { task } = await host.call(tool, { how: 'hang' });
    await host.tasks.shutDown();
    expect(await resultOf(task!.id)).toMatchObject({
      error: {
        code: 'TRANSPORT_FAILURE',
        retryable: true,
        message: expect.stringContaining('server was stopped') as string,
      },
    });
  });
});

describe('one process a call', () => {
  it('leaves the task to its callback when it ends well', async () => {
    const { task } = await host.call('Oneshot', { how: 'leave', ms: 20 });
    await until('its place is free', () => running('Oneshot') === 0);
    expect((await host.tasks.store.get(task!.id))?.state).toBe('running');
  });

  it('quotes its last words without secrets', async () => {
    const { task } = await host.call('Oneshot', { how: 'fail' });
    const { error } = await resultOf(task!.id);
    const { stderr } = error!.details as { stderr: string };
    expect(stderr).toContain('starting\nno room on the device');
    expect(stderr).not.toContain('sk-abcdefghijklmnop');
  });

  it('may print what it likes behind its frame; nobody reads it', async () => {
    const { task } = await host.call('Oneshot', { how: 'noise', text: 'all the same' });
    expect((await resultOf(task!.id)).data).toEqual({ text: 'all the same' });
  });

  it('keeps the directory of its call while it works', async () => {
    const accepted = await host.call('Oneshot', { how: 'callback', ms: 400 });
    const directory = join(host.dataDirectory, 'calls', accepted.execution.invocationId);
    expect(existsSync(directory)).toBe(true);
    await ended(accepted.task!.id);
    await until('the directory has gone', () => !existsSync(directory));
  });
});

describe('a worker', () => {
  it('goes on with other calls beside its tasks', async () => {
    const first = await host.call('Worker', { how: 'hang' });
    const second = await host.call('Worker', { how: 'callback', text: 'beside' });
    expect((await resultOf(second.task!.id)).data).toEqual({ text: 'beside' });
    expect((await host.tasks.store.get(first.task!.id))?.state).toBe('running');
    await host.tasks.cancel(first.task!.id);
  });

  it('that dies fails all its tasks, but for those that have ended', async () => {
    const called = await host.call('Worker', { how: 'callback', text: 'safe' });
    await ended(called.task!.id);
    const waiting = await host.call('Worker', { how: 'hang' });
    const fatal = await host.call('Worker', { how: 'fail', ms: 100 });
    expect((await ended(waiting.task!.id)).state).toBe('failed');
    expect((await ended(fatal.task!.id)).state).toBe('failed');
    expect((await ended(called.task!.id)).state).toBe('completed');
  });
});
