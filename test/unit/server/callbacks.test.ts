import { describe, expect, it } from 'vitest';
import { EMPTY_SNAPSHOT } from '../../../src/registry/registry-snapshot.ts';
import { asyncManifest, acceptedAnswer, finalPayload } from '../../support/async-tool.ts';
import { callbackBody, sendCallback, type SentCallback } from '../../support/callback-sender.ts';
import { createMemoryApp, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';

const open = async (options: Parameters<typeof createMemoryApp>[0] = {}) => {
  const parts = createMemoryApp({
    manifests: [asyncManifest(), { ...asyncManifest(), name: 'Other' }],
    answer: (call) => acceptedAnswer(call),
    ...options,
  });
  const begin = async (tool = 'Sample') => {
    await parts.call({ tool });
    const call = parts.delivered.at(-1)!;
    const id = call.task!.id;
    return {
      call,
      id,
      send: (body: unknown, how?: SentCallback) => sendCallback(parts, call, body, how),
      finish: (payload: unknown, how?: SentCallback) =>
        sendCallback(parts, call, callbackBody(id, { result: payload }), how),
      tell: (progress: unknown, how?: SentCallback) => sendCallback(parts, call, callbackBody(id, { progress }), how),
      stored: async () => (await parts.tasks.store.get(id))!,
    };
  };
  return { ...parts, begin, ...(await begin()) };
};

const problemOf = async (response: Response) => {
  const body = (await response.json()) as { code: string; detail: string; errors?: { pointer: string }[] };
  return [response.status, body.code, ...(body.errors ?? []).map(({ pointer }) => pointer)];
};

describe('a callback that ends a task', () => {
  it('is answered with the result that it became', async () => {
    const { finish, stored, send, id, calls } = await open();
    const answer = await finish(finalPayload());
    expect(answer.status).toBe(200);
    const task = await stored();
    expect(await answer.json()).toEqual({ taskId: id, state: 'completed', resultId: task.resultId });
    const { result } = (await calls.getResult(task.resultId!))!;
    expect(result).toMatchObject({ status: 'success', data: { text: 'done' }, origin: { source: 'callback' } });
    expect((await send('{}')).status).toBe(422);
  });

  it('fails, or cancels, the task as it says', async () => {
    const first = await open();
    const error = { code: 'SAMPLE.BROKEN', message: 'the pencil broke' };
    expect(await (await first.finish({ status: 'error', data: null, error })).json()).toMatchObject({
      state: 'failed',
    });
    const second = await open();
    const stopped = { code: 'TOOL_CANCELLED', message: 'stopped' };
    const answer = await second.finish({ status: 'cancelled', data: null, error: stopped });
    expect(await answer.json()).toMatchObject({ state: 'cancelled' });
  });

  it('may bring resources, which are published as those of any result', async () => {
    const { finish, stored, calls } = await open();
    const draft = { id: 'a', kind: 'document', base64: btoa('hello'), fileName: 'a.txt' };
    expect((await finish(finalPayload('see', { resources: [draft] }))).status).toBe(200);
    const { result } = (await calls.getResult((await stored()).resultId!))!;
    expect(result.resources).toMatchObject([{ fileName: 'a.txt', mimeType: 'text/plain', sizeBytes: 5 }]);
    expect(await calls.getResource(result.resources[0]!.id)).toMatchObject({ owner: 'alice', resultId: result.id });
  });

  it('may come before the accepted answer', async () => {
    const parts = createMemoryApp({
      manifests: [asyncManifest()],
      answer: async (call) => {
        const body = callbackBody(call.task!.id, { result: finalPayload('early') });
        expect((await sendCallback(parts, call, body)).status).toBe(200);
        return acceptedAnswer(call);
      },
    });
    const accepted = (await (await parts.call({ tool: 'Sample' })).json()) as { id: string; task: { id: string } };
    const task = await parts.tasks.store.get(accepted.task.id);
    expect(task).toMatchObject({ state: 'completed', acceptedResultId: accepted.id });
    expect((await parts.calls.getResult(task!.resultId!))?.result.data).toEqual({ text: 'early' });
  });

  it('ends its task although the plugin has been changed, or is there no more', async () => {
    const { finish, registry, stored } = await open();
    registry.replace(EMPTY_SNAPSHOT);
    expect((await finish(finalPayload())).status).toBe(200);
    expect((await stored()).state).toBe('completed');
  });
});

describe('a callback again', () => {
  it('of the same id gets the same answer, and says nothing else', async () => {
    const { finish, tell } = await open();
    const first = await finish(finalPayload(), { id: 'msg_a' });
    const second = await finish(finalPayload(), { id: 'msg_a' });
    expect([second.status, await second.text()]).toEqual([200, await first.text()]);
    expect(await problemOf(await finish(finalPayload('other'), { id: 'msg_a' }))).toEqual([409, 'WEBHOOK_ID_REUSED']);
    expect(await problemOf(await tell({ progress: 0.5 }, { id: 'msg_a' }))).toEqual([409, 'WEBHOOK_ID_REUSED']);
  });

  it('of another id gets the same answer when it says the same, and a conflict when it does not', async () => {
    const { finish, tell } = await open();
    const first = await finish({ status: 'success', data: { text: 'a' }, warnings: [] }, { id: 'msg_a' });
    const second = await finish({ data: { text: 'a' }, warnings: [], status: 'success' }, { id: 'msg_b' });
    expect([second.status, await second.text()]).toEqual([200, await first.text()]);
    expect(await problemOf(await finish(finalPayload('b'), { id: 'msg_c' }))).toEqual([409, 'TASK_ENDED']);
    expect(await problemOf(await tell({ progress: 0.5 }, { id: 'msg_d' }))).toEqual([409, 'TASK_ENDED']);
  });

  it('is a conflict when the task was cancelled', async () => {
    const { finish, tasks, id } = await open();
    await tasks.cancel(id);
    expect(await problemOf(await finish(finalPayload()))).toEqual([409, 'TASK_ENDED']);
  });

  it('of twenty at once, all different, ends it once', async () => {
    const { finish, stored, calls } = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => finish(finalPayload(`text ${index}`))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const { result } = (await calls.getResult((await stored()).resultId!))!;
    expect(result.data).toEqual({ text: `text ${winner}` });
    expect((await calls.listRecords({ owner: null, limit: 100 })).records).toHaveLength(2);
  });

  it('of twenty at once, all the same, is answered the same', async () => {
    const { finish } = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => finish(finalPayload(), { id: 'msg_same' })));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('a callback with progress', () => {
  it('moves the task on and is told of, as often as that is allowed', async () => {
    const { tell, stored, id, events } = await open({ limits: { taskProgressMs: 60_000 } });
    const answer = await tell({ stage: 'drawing', progress: 0.4, message: 'half' });
    expect(await answer.json()).toEqual({ taskId: id, state: 'running', resultId: null });
    expect(await stored()).toMatchObject({ state: 'running', progress: 0.4, stage: 'drawing', message: 'half' });
    expect((await tell({ progress: 0.5 })).status).toBe(200);
    expect(events).toMatchObject([{ type: 'vcp_info', taskId: id, progress: 0.4, stage: 'drawing', message: 'half' }]);
    expect((await stored()).progress).toBe(0.4);
  });

  it('is not told twice', async () => {
    const { tell, stored } = await open({ limits: { taskProgressMs: 1 } });
    await tell({ progress: 0.4 }, { id: 'msg_a' });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await tell({ progress: 0.6 }, { id: 'msg_b' });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await tell({ progress: 0.4 }, { id: 'msg_a' })).status).toBe(200);
    expect((await stored()).progress).toBe(0.6);
  });
});

describe('what is left of an asynchronous call', () => {
  it('is joined by its ids: events, log lines, records, results and the answer to the callback', async () => {
    const { call, id, tell, finish, stored, calls, emitted, logged } = await open({ limits: { taskProgressMs: 1 } });
    await tell({ stage: 'drawing', progress: 0.5 });
    const receipt = (await (await finish(finalPayload())).json()) as { taskId: string; resultId: string };
    const task = await stored();
    const { invocationId, requestId } = call;
    const joined = { invocationId, requestId, taskId: id, toolName: 'Sample' };
    expect(receipt).toMatchObject({ taskId: id, resultId: task.resultId });

    const [last, first] = (await calls.listRecords({ owner: 'alice', limit: 10 })).records;
    expect([first, last]).toMatchObject([
      { invocationId, requestId, resultId: task.acceptedResultId, toolName: 'Sample', status: 'accepted' },
      { invocationId, requestId, resultId: task.resultId, toolName: 'Sample', status: 'success' },
    ]);
    expect(emitted.map(({ type }) => type)).toEqual(['task', 'result', 'vcp_info', 'task', 'result']);
    for (const event of emitted) expect(event).toMatchObject({ ...joined, audience: { to: 'owner', owner: 'alice' } });
    expect(emitted.at(-1)).toMatchObject({ resultId: last!.resultId, recordId: last!.id });
    const lines = logged.filter(({ fields }) => fields['taskId'] === id);
    expect(lines.map(({ event }) => event)).toEqual([
      'task.accepted',
      'call.finished',
      'callback.received',
      'task.ended',
      'callback.received',
    ]);
    for (const { event, fields } of lines) expect(fields, event).toMatchObject(joined);
  });
});

describe('a callback that is not valid', () => {
  it.each<[string, (id: string) => unknown, unknown[]]>([
    ['another task', () => callbackBody('task_01JABCDEFGHJKMNPQRSTVWXYZ0', { result: finalPayload() }), ['/taskId']],
    ['both', (id) => ({ ...callbackBody(id, { result: finalPayload() }), progress: {} }), ['']],
    ['neither', (id) => callbackBody(id, {} as never), ['']],
    [
      'another protocol',
      (id) => ({ ...callbackBody(id, { result: 1 }), protocol: { name: 'x', version: '1.0' } }),
      ['/protocol/name'],
    ],
    ['further fields', (id) => ({ ...callbackBody(id, { result: finalPayload() }), more: 1 }), ['/more']],
    ['no payload', (id) => callbackBody(id, { result: null }), ['/result']],
    ['data that does not fit', (id) => callbackBody(id, { result: finalPayload(1 as never) }), ['/result/data/text']],
    ['forged fields', (id) => callbackBody(id, { result: finalPayload('a', { id: 'tr_x' }) }), ['/result/id']],
    [
      'an acceptance',
      (id) => callbackBody(id, { result: { status: 'accepted', data: null, task: { id, state: 'queued' } } }),
      ['/result/status'],
    ],
    [
      'a path',
      (id) =>
        callbackBody(id, {
          result: finalPayload('a', { resources: [{ id: 'a', kind: 'file', localPath: '../../etc/passwd' }] }),
        }),
      ['/result/resources/0/localPath'],
    ],
    [
      'a resource that is not there',
      (id) =>
        callbackBody(id, {
          result: finalPayload('a', { resources: [{ id: 'a', resourceId: 'res_01JABCDEFGHJKMNPQRSTVWXYZ0' }] }),
        }),
      ['/result/resources/0/resourceId'],
    ],
    ['too much progress', (id) => callbackBody(id, { progress: { progress: 1.5 } }), ['/progress/progress']],
  ])('says where: %s', async (_, body, pointers) => {
    const { send, finish, stored, id } = await open();
    const answer = await problemOf(await send(body(id)));
    expect(answer).toEqual([422, 'INVALID_TOOL_RESULT', ...pointers]);
    expect(await stored()).toMatchObject({ state: 'queued', resultId: null });
    // The plugin corrects itself.
    expect((await finish(finalPayload())).status).toBe(200);
  });

  it.each<[string, unknown, SentCallback, number]>([
    ['no JSON', 'text', {}, 400],
    ['half of it', '{"protocol":', {}, 400],
    ['a key that is never accepted', '{"__proto__":{}}', {}, 400],
    ['another type', '{}', { contentType: 'text/plain' }, 415],
    ['no id', '{}', { id: null }, 400],
    ['an id that is none', '{}', { id: 'a b' }, 400],
    ['an id that is too long', '{}', { id: 'a'.repeat(256) }, 400],
  ])('is refused: %s', async (_, body, how, status) => {
    const { send, stored } = await open();
    expect((await send(body, how)).status).toBe(status);
    expect((await stored()).state).toBe('queued');
  });

  it('is refused over the limit of its size', async () => {
    const { finish, stored } = await open({ limits: { callbackBodyBytes: 1_000 } });
    expect((await finish(finalPayload('x'.repeat(1_000)))).status).toBe(413);
    expect((await stored()).state).toBe('queued');
  });
});

describe('who may call back', () => {
  it('has the token of the task', async () => {
    const { finish, begin, tokens, stored, id } = await open();
    const other = await begin();
    const foreign = await begin('Other');
    const late = Date.now() + 60_000;
    const wrong = [
      null,
      'x',
      other.call.task!.token,
      foreign.call.task!.token,
      (await stored()).id,
      await tokens.sign({ toolName: 'Other', taskId: id }, late),
      await tokens.sign({ toolName: 'Sample', taskId: id }, Date.now() - 1_000),
    ];
    for (const token of wrong) expect((await finish(finalPayload(), { token })).status, String(token)).toBe(401);
    expect((await finish(finalPayload(), { headers: { authorization: 'Bearer key-of-operator' } })).status).toBe(401);
    expect((await stored()).state).toBe('queued');
    expect((await finish(finalPayload())).status).toBe(200);
  });

  it('is told that there is no such task only with a token of this server', async () => {
    const { finish, call } = await open();
    const path = '/plugin-callback/Sample/task_01JABCDEFGHJKMNPQRSTVWXYZ0';
    expect((await finish(finalPayload(), { path })).status).toBe(404);
    expect((await finish(finalPayload(), { path, token: `${call.task!.token}x` })).status).toBe(401);
  });

  it('speaks at the right time', async () => {
    const { finish } = await open();
    const now = Math.floor(Date.now() / 1_000);
    for (const timestamp of [null, now - 330, now + 330, 'now', '', `${now}.5`, '-1']) {
      expect((await finish(finalPayload(), { timestamp })).status, String(timestamp)).toBe(401);
    }
    expect((await finish(finalPayload(), { timestamp: now - 270 })).status).toBe(200);
  });

  it.each([
    '/plugin-callback/..%2F..%2Fetc/ID',
    '/plugin-callback/Sample%2FID/ID',
    '/plugin-callback/Sample/..%2FID',
    '/plugin-callback/Sample/ID%00',
    '/plugin-callback/%E0%A4%A/ID',
    '/plugin-callback/Sample/ID/more',
    '/plugin-callback//ID',
  ])('finds nothing by a trick: %s', async (path) => {
    const { finish, id, stored } = await open();
    expect((await finish(finalPayload(), { path: path.replaceAll('ID', id) })).status).toBe(404);
    expect((await stored()).state).toBe('queued');
  });

  it('waits after many wrong tokens; a right one does not', async () => {
    const { finish } = await open({
      limits: { freeWrongKeys: 3 },
      app: { connections: { clientAddress: () => '192.0.2.9', clientGone: () => null } },
    });
    const statuses: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      statuses.push((await finish(finalPayload(), { token: `guess${time}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await finish(finalPayload())).status).toBe(200);
  });

  it('may sign what it sends', async () => {
    const { id, send, call } = await open();
    const body = JSON.stringify(callbackBody(id, { result: finalPayload() }));
    const timestamp = Math.floor(Date.now() / 1_000);
    const sign = async (text: string, secret = call.task!.token) => {
      const encoder = new TextEncoder();
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
      return `v1,${btoa(String.fromCharCode(...bytes))}`;
    };
    const right = await sign(`msg_s.${timestamp}.${body}`);
    const wrong = [
      '',
      'v1,',
      'v1',
      await sign(`msg_s.${timestamp}.${body} `),
      await sign(`msg_s.${timestamp}.${body}`, 'another'),
      right.replace('v1', 'v1a'),
    ];
    for (const signature of wrong) {
      const answer = await send(body, { id: 'msg_s', timestamp, headers: { 'webhook-signature': signature } });
      expect(answer.status, signature).toBe(401);
    }
    const both = { 'webhook-signature': `${wrong[4]} ${right}` };
    expect((await send(body, { id: 'msg_s', timestamp, headers: both })).status).toBe(200);
  });
});

describe('a token in the address', () => {
  const inAddress = { token: null, id: null, timestamp: null } as const;
  const opened = (isAllowed: boolean, more: MemoryRuntimeOptions = {}) =>
    open({ ...more, app: { callbackUrlTokens: () => isAllowed } });

  it('lets nobody in unless the operator says so', async () => {
    const { finish, call } = await opened(false);
    const path = `${new URL(call.task!.callbackUrl).pathname}?token=${call.task!.token}`;
    expect((await finish(finalPayload(), { ...inAddress, path })).status).toBe(401);
  });

  it('needs neither id nor time: what is said is its id', async () => {
    const { finish, call, logged } = await opened(true);
    const path = `${new URL(call.task!.callbackUrl).pathname}?token=${call.task!.token}`;
    const first = await finish(finalPayload(), { ...inAddress, path });
    expect(first.status).toBe(200);
    const second = await finish(finalPayload(), { ...inAddress, path });
    expect([second.status, await second.text()]).toEqual([200, await first.text()]);
    expect((await finish(finalPayload('b'), { ...inAddress, path })).status).toBe(409);
    expect((await finish(finalPayload(), { ...inAddress, path: `${path}x` })).status).toBe(401);
    expect(JSON.stringify(logged)).not.toContain(call.task!.token);
  });
});
