import { describe, expect, it } from 'vitest';
import type { Authenticator, Role } from '../../../src/ports/authenticator.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { callbackBody, sendCallback } from '../../support/callback-sender.ts';
import { createMemoryApp, createMemoryRuntime } from '../../support/memory-runtime.ts';
import { receiveCallback } from '../../../src/runtime/tasks/receive-callback.ts';

const open = (app: Parameters<typeof createMemoryApp>[0] = {}) => {
  const parts = createMemoryApp({
    ...app,
    manifests: [asyncManifest(), { ...asyncManifest(), name: 'Other' }],
    answer: (call) => acceptedAnswer(call),
    limits: { taskProgressMs: 1, taskLookMs: 20 },
  });
  const begin = async (tool = 'Sample', as = 'alice') => {
    const result = (await (await parts.call({ tool }, as)).json()) as { id: string; task: { id: string } };
    return { taskId: result.task.id, resultId: result.id, call: parts.delivered.at(-1)! };
  };
  const post = (path: string, body?: object, as?: string) =>
    parts.send(path, {
      method: 'POST',
      ...(as === undefined ? {} : { as }),
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  return { ...parts, begin, post };
};

/** The events of a stream, comments left out. */
const eventsOf = async (response: Response) =>
  (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('event:'))
    .map((block) => {
      const [, event, data] = /^event: (\S+)\ndata: (.*)$/s.exec(block)!;
      return { event, data: JSON.parse(data!) as Record<string, unknown> };
    });

describe('tasks', () => {
  it('are read by whose call it was, and by operators', async () => {
    const { begin, send } = open();
    const { taskId, resultId, call } = await begin();
    const answer = await send(`/v1/tasks/${taskId}`);
    expect(await answer.json()).toEqual({
      id: taskId,
      kind: 'plugin',
      owner: 'alice',
      tool: 'Sample',
      command: 'Run',
      state: 'queued',
      progress: null,
      stage: null,
      message: null,
      placeholder: `{{VCP_ASYNC_RESULT::Sample::${taskId}}}`,
      invocationId: call.invocationId,
      requestId: call.requestId,
      acceptedResultId: resultId,
      resultId: null,
      approvalId: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect((await send(`/v1/tasks/${taskId}`, { as: 'operator' })).status).toBe(200);
    for (const path of [`/v1/tasks/${taskId}`, `/v1/tasks/${taskId}/events`]) {
      expect((await send(path, { as: 'bob' })).status).toBe(404);
      expect((await send(path, { as: null })).status).toBe(401);
    }
    expect((await send('/v1/tasks/task_01JABCDEFGHJKMNPQRSTVWXYZ0')).status).toBe(404);
  });

  it('are listed, the newest first', async () => {
    const { begin, send, tasks } = open();
    const first = await begin();
    const second = await begin('Other');
    const third = await begin('Sample', 'bob');
    await tasks.cancel(first.taskId);
    const ids = async (query: string, as = 'alice') => {
      const page = (await (await send(`/v1/tasks${query}`, { as })).json()) as { tasks: { id: string }[] };
      return page.tasks.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([second.taskId, first.taskId]);
    expect(await ids('', 'bob')).toEqual([third.taskId]);
    expect(await ids('', 'operator')).toEqual([third.taskId, second.taskId, first.taskId]);
    expect(await ids('?tool=Other')).toEqual([second.taskId]);
    expect(await ids('?state=cancelled')).toEqual([first.taskId]);
    const page = (await (await send('/v1/tasks?limit=1')).json()) as { nextCursor: string };
    expect(await ids(`?limit=1&cursor=${page.nextCursor}`)).toEqual([first.taskId]);
    for (const query of ['?state=done', '?limit=0', '?cursor=x', '?other=1']) {
      expect((await send(`/v1/tasks${query}`)).status, query).toBe(400);
    }
  });

  it('are told of in the words of their plugin without secrets, paths and private addresses', async () => {
    const parts = open({ knownPaths: ['/srv/vcp'] });
    const { taskId, call } = await parts.begin();
    const token = call.task!.token;
    const message = `wrote /srv/vcp/data/out.png for http://10.0.0.5/x with ${token}`;
    const progress = { stage: 'Bearer sk-abcdefghijklmnopqrstuvwxyz123456', progress: 0.5, message };
    expect((await sendCallback(parts, call, callbackBody(taskId, { progress }))).status).toBe(200);
    const read = async (path: string, as: string) => await (await parts.send(path, { as })).text();
    for (const path of [`/v1/tasks/${taskId}`, '/v1/tasks']) {
      const ofAlice = await read(path, 'alice');
      expect(ofAlice).toContain('"progress":0.5,"stage":"Bearer [redacted: secret]"');
      for (const hidden of [token, 'sk-abc', '/srv/vcp', '10.0.0.5']) expect(ofAlice, path).not.toContain(hidden);
      expect(await read(path, 'operator')).toContain(message);
    }
    const cancelled = await (await parts.post(`/v1/tasks/${taskId}/cancel`)).text();
    const events = await read(`/v1/tasks/${taskId}/events`, 'alice');
    const forModels = await read(`/v1/tasks/${taskId}/events?view=ai`, 'operator');
    for (const text of [cancelled, events, forModels]) {
      expect(text).toContain('[redacted: secret]');
      expect(text).not.toContain(token);
    }
  });

  it('are cancelled by whose they are, with a reason, and once', async () => {
    const { begin, send, post, calls } = open();
    const { taskId } = await begin();
    expect((await post(`/v1/tasks/${taskId}/cancel`, {}, 'bob')).status).toBe(404);
    expect((await post(`/v1/tasks/${taskId}/cancel`, { why: 1 })).status).toBe(400);
    const cancelled = await post(`/v1/tasks/${taskId}/cancel`, { reason: 'too slow' });
    const task = (await cancelled.json()) as { state: string; resultId: string };
    expect(task.state).toBe('cancelled');
    expect((await calls.getResult(task.resultId))?.result).toMatchObject({
      status: 'cancelled',
      error: { code: 'TOOL_CANCELLED', message: 'the task was cancelled: too slow', category: 'cancelled' },
      task: { id: taskId, state: 'cancelled' },
    });
    expect((await post(`/v1/tasks/${taskId}/cancel`)).status).toBe(200);
    expect((await send(`/v1/results/${task.resultId}?view=ai`)).status).toBe(200);
  });

  it('that have ended otherwise are not cancelled', async () => {
    const parts = open();
    const { taskId, call } = await parts.begin();
    await sendCallback(parts, call, callbackBody(taskId, { result: finalPayload() }));
    const answer = await parts.post(`/v1/tasks/${taskId}/cancel`);
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 'TASK_ENDED' });
  });
});

describe('the events of a task', () => {
  it('begin with its state, follow it, and end with its result', async () => {
    const parts = open();
    const { taskId, call } = await parts.begin();
    const stream = await parts.send(`/v1/tasks/${taskId}/events?view=workflow`);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const reading = eventsOf(stream);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await sendCallback(parts, call, callbackBody(taskId, { progress: { progress: 0.5 } }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await sendCallback(parts, call, callbackBody(taskId, { result: finalPayload() }));
    const events = await reading;
    expect(events.map(({ event, data }) => [event, data['state'] ?? data['status'], data['progress']])).toEqual([
      ['task', 'queued', null],
      ['task', 'running', 0.5],
      ['task', 'completed', 1],
      ['result', 'success', undefined],
    ]);
  });

  it('of one that has ended are its end', async () => {
    const parts = open();
    const { taskId } = await parts.begin();
    await parts.tasks.cancel(taskId);
    const events = await eventsOf(await parts.send(`/v1/tasks/${taskId}/events`));
    expect(events.map(({ event }) => event)).toEqual(['task', 'result']);
    expect(events[1]!.data).toMatchObject({ status: 'cancelled', protocol: { name: 'vcp.tool-result' } });
  });

  it('tell of what another server on the same store did', async () => {
    const parts = open();
    const { taskId } = await parts.begin();
    const other = createMemoryRuntime({ calls: parts.calls, taskStore: parts.tasks.store, blobs: parts.blobs });
    const reading = eventsOf(await parts.send(`/v1/tasks/${taskId}/events`));
    const task = (await parts.tasks.store.get(taskId))!;
    await receiveCallback(task, { kind: 'result', result: finalPayload() as never }, 'msg_1', other.finishing);
    expect((await reading).map(({ event }) => event)).toEqual(['task', 'task', 'result']);
  });

  it('end for a key that has been revoked meanwhile, or may not see the task any more', async () => {
    for (const becomes of [
      null,
      'revoked',
      { id: 'alice', name: 'alice', roles: new Set<Role>(), tools: null },
    ] as const) {
      let isGood = true;
      const authenticator: Authenticator = {
        authenticate: (key) => {
          if (!isGood) return becomes;
          const roles = new Set<Role>(key === 'key-of-operator' ? ['operator'] : ['human']);
          return { id: key.replace('key-of-', ''), name: key, roles, tools: null };
        },
      };
      const parts = open({ app: { authenticator } });
      const { taskId, call } = await parts.begin('Sample', 'bob');
      const reading = eventsOf(await parts.send(`/v1/tasks/${taskId}/events`, { as: 'operator' }));
      await new Promise((resolve) => setTimeout(resolve, 30));
      isGood = false;
      await sendCallback(parts, call, callbackBody(taskId, { result: finalPayload() }));
      expect((await reading).map(({ event }) => event)).toEqual(['task']);
    }
  });

  it('end when the server stops, without a result', async () => {
    let isReady = true;
    const parts = open({ app: { isReady: () => isReady } });
    const { taskId } = await parts.begin();
    const reading = eventsOf(await parts.send(`/v1/tasks/${taskId}/events`));
    isReady = false;
    expect((await reading).map(({ event }) => event)).toEqual(['task']);
  });
});
