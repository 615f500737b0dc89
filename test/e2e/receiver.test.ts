// Callbacks that come while the server is away: a receiver in workerd, as `vcp edge build --receiver` has written it, and a
// server in a process of its own, which is killed and started again.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { InboxPage } from '../../src/protocol/inbox.ts';
import type { TaskDescription } from '../../src/protocol/task-listing.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';
import { startInboxProxy, type InboxProxy } from '../support/inbox-proxy.ts';
import { until } from '../support/processes.ts';
import { png } from '../support/sample-files/images.ts';
import { callbackBody, callbackRequest } from '../support/callback-sender.ts';
import {
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type CommandRun,
  type ServerProcess,
} from '../support/server-process.ts';
import { openSocketClient } from '../support/socket-client.ts';
import { startWorker, type RunningWorker } from '../support/workerd/start-worker.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

/** Prints what it was told of its task, so that a test can call back in its place. */
const HANDS_OUT = `export const processToolCall = async (args, { task }) => {
  task.handOver();
  const { id, callbackUrl, token } = task;
  return { status: 'accepted', data: { callbackUrl, token }, task: { id, state: 'running' } };
};
`;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const INBOX_KEY = 'the-key-of-the-inbox';
const BODY_BYTES = 200_000;

const home = temporaryHome();
const out = join(home.root, 'receiver');
let trusted: string;
let built: CommandRun;
let publicKeys: string;
let receiver: RunningWorker;
let proxy: InboxProxy;
let server: ServerProcess;

beforeAll(async () => {
  const { sha256 } = writePlugin(home.plugins, {
    name: 'HandsOut',
    module: 'a.mjs',
    moduleText: HANDS_OUT,
    more: { pluginType: 'asynchronous' },
    commandMore: { async: true },
    outputSchema: TEXT,
  });
  trusted = String(sha256);
  built = await vcp(home, ['edge', 'build', '--receiver', '--out', out, '--json']);
  ({ publicKeys } = JSON.parse(built.stdout) as { publicKeys: string });
  receiver = await startWorker(
    out,
    {
      VCP_API_KEY: INBOX_KEY,
      VCP_TASK_PUBLIC_KEYS: publicKeys,
      VCP_LIMIT_CALLBACK_BODY_BYTES: String(BODY_BYTES),
    },
    join(home.root, 'stores'),
  );
  proxy = await startInboxProxy(() => receiver.url);
});

afterAll(async () => {
  await receiver?.close();
  proxy?.close();
  home.remove();
});

beforeEach(() => proxy.meddle(null));

const start = async (environment: Record<string, string> = {}): Promise<void> => {
  server = await startServerProcess(home, {
    VCP_TRUSTED_MODULES: trusted,
    VCP_INBOX_URL: proxy.url,
    VCP_INBOX_KEY: INBOX_KEY,
    VCP_CALLBACK_URL: receiver.url,
    VCP_LIMIT_INBOX_LOOK_MS: '200',
    VCP_LOG_LEVEL: 'debug',
    ...environment,
  });
};
const kill = async (): Promise<void> => {
  server.kill('SIGKILL');
  await server.exit;
};

type Handed = { readonly id: string; readonly callbackUrl: string; readonly token: string };

const accepted = async (): Promise<Handed> => {
  const { task, data } = await server.call('HandsOut');
  return { id: task!.id, ...(data as unknown as Omit<Handed, 'id'>) };
};

type Sent = { readonly id?: string; readonly token?: string; readonly body?: string };

let sent = 0;
const callBack = (
  { id: taskId, callbackUrl, token }: Handed,
  said: Parameters<typeof callbackBody>[1],
  { id = `msg_${(sent += 1)}`, token: other = token, body = JSON.stringify(callbackBody(taskId, said)) }: Sent = {},
) => fetch(callbackUrl, callbackRequest(other, id, body));
const done = (text: string, more: object = {}) => ({ result: { status: 'success', data: { text }, ...more } });

const taskOf = async (id: string) => (await (await server.request(`/v1/tasks/${id}`)).json()) as TaskDescription;
const resultOf = async (taskId: string) => {
  await until('the task has its result', async () => (await taskOf(taskId)).resultId !== null);
  const { resultId } = await taskOf(taskId);
  return (await (await server.request(`/v1/results/${resultId}`)).json()) as CanonicalToolResult;
};
const inbox = async (): Promise<InboxPage> => {
  const answer = await receiver.fetch('/v1/inbox', { headers: { authorization: `Bearer ${INBOX_KEY}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as InboxPage;
};
const emptied = () => until('the inbox is empty', async () => (await inbox()).items.length === 0);
const terminalResults = async (taskIds: readonly string[]) => {
  const { records } = (await (await server.request('/v1/records?limit=100')).json()) as {
    records: { resultId: string; status: string }[];
  };
  const results = await Promise.all(
    records.map(
      async ({ resultId }) => (await (await server.request(`/v1/results/${resultId}`)).json()) as CanonicalToolResult,
    ),
  );
  return results.filter(({ status, task }) => status !== 'accepted' && taskIds.includes(task!.id));
};

describe('vcp edge build --receiver', () => {
  it('writes a folder with the public keys of the server, and nothing that signs', async () => {
    expect(built).toMatchObject({ code: 0 });
    const settings = readFileSync(join(out, 'wrangler.toml'), 'utf8');
    expect(settings).toContain(`VCP_TASK_PUBLIC_KEYS = ${JSON.stringify(publicKeys)}`);
    expect(settings).toContain('binding = "RESOURCES"');
    expect(settings).toContain('binding = "DATABASE"');
    expect(settings).toContain('crons =');
    expect(JSON.parse(publicKeys)).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String) as string }]);
    const secret = readFileSync(join(home.data, 'signing-key'), 'utf8').trim();
    expect(settings + readFileSync(join(out, 'worker.js'), 'utf8')).not.toContain(secret);
  });

  it('says so when the settings that are there are for another server', async () => {
    const other = { VCP_SIGNING_KEY: 'another signing key of 32 characters' };
    const again = await vcp(home, ['edge', 'build', '--receiver', '--out', out], other);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('wrangler.toml was there already');
    expect(again.stdout).toContain("VCP_TASK_PUBLIC_KEYS = '[");
    const same = await vcp(home, ['edge', 'build', '--receiver', '--out', out]);
    expect(same.stdout).not.toContain('VCP_TASK_PUBLIC_KEYS');
  });

  it('has no plugins', async () => {
    const refused = await vcp(home, ['edge', 'build', '--receiver', '--plugins', home.plugins, '--out', out]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('a receiver has no plugins');
  });
});

describe('a receiver', () => {
  it('takes what comes while its server is away, and the server has it once when it is back', async () => {
    await start();
    const tasks = [await accepted(), await accepted(), await accepted()] as const;
    for (const { callbackUrl, id } of tasks) expect(callbackUrl).toBe(`${receiver.url}/plugin-callback/HandsOut/${id}`);
    await kill();
    const watching = await openSocketClient(`${receiver.url.replace('http', 'ws')}/v1/ws`, {
      authorization: `Bearer ${INBOX_KEY}`,
    });

    const picture = png();
    const [plain, twice, painted] = tasks;
    const first = await callBack(plain, done('one'));
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ taskId: plain.id, state: 'completed', resultId: null });
    expect((await callBack(twice, { progress: { progress: 0.1 } })).status).toBe(200);
    expect((await callBack(twice, { progress: { progress: 0.5 } })).status).toBe(200);
    const repeated = await Promise.all([1, 2, 3].map(() => callBack(twice, done('two'), { id: 'msg_same' })));
    expect(repeated.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answers = await Promise.all(repeated.map((answer) => answer.text()));
    expect(new Set(answers).size).toBe(1);
    const resources = [{ id: 'picture', fileName: 'picture.png', base64: Buffer.from(picture).toString('base64') }];
    expect((await callBack(painted, done('three', { resources }))).status).toBe(200);

    const ends = () => watching.of('task').map(({ taskId, data }) => [taskId, data]);
    await watching.next(({ type, taskId }) => type === 'task' && taskId === painted.id);
    expect(ends()).toEqual(tasks.map(({ id }) => [id, { state: 'completed', progress: null, resultId: null }]));
    expect(watching.of('vcp_info').map(({ taskId, progress }) => [taskId, progress])).toEqual([
      [twice.id, 0.1],
      [twice.id, 0.5],
    ]);
    watching.socket.terminate();

    const { items } = await inbox();
    expect(items.map(({ taskId, kind }) => [taskId, kind])).toEqual(tasks.map(({ id }) => [id, 'result']));
    const sha256 = hash('sha256', picture);
    expect(items[2]?.resources).toMatchObject([{ sha256, sizeBytes: picture.length, mimeType: 'image/png' }]);
    expect(JSON.stringify(items)).not.toContain('base64');

    await start();
    expect((await resultOf(plain.id)).data).toEqual({ text: 'one' });
    expect((await resultOf(twice.id)).data).toEqual({ text: 'two' });
    const result = await resultOf(painted.id);
    expect(result).toMatchObject({
      status: 'success',
      resources: [{ mimeType: 'image/png', fileName: 'picture.png', sha256, kind: 'image' }],
    });
    const bytes = await server.request(`/v1/resources/${result.resources[0]!.id}`);
    expect(hash('sha256', new Uint8Array(await bytes.arrayBuffer()))).toBe(sha256);
    await emptied();
    expect(await terminalResults(tasks.map(({ id }) => id))).toHaveLength(3);

    // The tombstones stay: late repetitions are answered as before, others are refused.
    expect((await callBack(twice, done('two'), { id: 'msg_same' })).status).toBe(200);
    expect((await callBack(twice, done('other'), { id: 'msg_same' })).status).toBe(409);
    const ended = await callBack(twice, done('other'));
    expect([ended.status, await ended.json()]).toMatchObject([409, { code: 'TASK_ENDED' }]);
    expect((await inbox()).items).toEqual([]);
    await kill();
  });

  it('lets in nobody whose token is forged, over or of another task', async () => {
    await start();
    const [task, other] = [await accepted(), await accepted()];
    const secret = readFileSync(join(home.data, 'signing-key'), 'utf8').trim();
    const now = () => Date.now();
    const [ours, theirs] = [secret, 'the secret of somebody else, a long one'].map((one) =>
      createTaskTokens({ secrets: [one], now }),
    );
    const claims = { toolName: 'HandsOut', taskId: task.id };
    const wrong = [
      await theirs!.sign(claims, Date.now() + 60_000),
      await ours!.sign(claims, Date.now() - 1_000),
      other.token,
      `${task.token.slice(0, -4)}AAAA`,
      INBOX_KEY,
    ];
    for (const token of wrong) expect((await callBack(task, done('x'), { token })).status).toBe(401);
    expect((await callBack(task, done('x'), { token: await ours!.sign(claims, Date.now() + 60_000) })).status).toBe(
      200,
    );
    expect((await resultOf(task.id)).data).toEqual({ text: 'x' });
    await kill();
  });

  it('refuses what is too long or breaks the protocol; the task goes on', async () => {
    await start();
    const task = await accepted();
    const long = await callBack(task, done('x'.repeat(BODY_BYTES)));
    expect([long.status, await long.json()]).toMatchObject([413, { code: 'CONTENT_TOO_LARGE' }]);
    const broken = await callBack(task, { result: { status: 'success' } });
    expect([broken.status, await broken.json()]).toMatchObject([
      422,
      { code: 'INVALID_TOOL_RESULT', errors: [{ pointer: '/result/data' }] },
    ]);
    const dangling = await callBack(task, done('x', { data: { text: 'x', file: { $resource: 'nothing' } } }));
    expect([dangling.status, await dangling.json()]).toMatchObject([
      422,
      { errors: [{ pointer: '/result/data/file/$resource' }] },
    ]);
    expect((await callBack(task, {} as never)).status).toBe(422);
    expect((await callBack(task, done('x'), { body: '{' })).status).toBe(400);
    expect((await callBack(task, done('at last'))).status).toBe(200);
    expect((await resultOf(task.id)).data).toEqual({ text: 'at last' });
    await kill();
  });

  it('shows its inbox to nobody without its key', async () => {
    for (const path of ['/v1/inbox', `/v1/inbox/blobs/${'0'.repeat(64)}`]) {
      expect((await receiver.fetch(path)).status).toBe(401);
      expect((await receiver.fetch(path, { headers: { authorization: 'Bearer a-wrong-key-of-it' } })).status).toBe(401);
    }
    const known = { headers: { authorization: `Bearer ${INBOX_KEY}` } };
    expect((await receiver.fetch(`/v1/inbox/blobs/${'0'.repeat(64)}`, known)).status).toBe(404);
    expect((await receiver.fetch('/v1/inbox?limit=1000', known)).status).toBe(400);
    expect(await (await receiver.fetch('/version')).json()).toMatchObject({ name: 'vcp-runtime' });
    expect(await (await receiver.fetch('/readyz')).json()).toEqual({ ready: true });
    expect((await receiver.fetch('/v1/tools', known)).status).toBe(404);
  });
});

describe('a server with a receiver', () => {
  it('tells plugins to call back there, unless it is told otherwise', async () => {
    await start({ VCP_CALLBACK_URL: '' });
    expect((await accepted()).callbackUrl).toContain(`${proxy.url}/plugin-callback/HandsOut/task_`);
    await kill();
    await start({ VCP_CALLBACK_URL: 'https://callbacks.example/behind/' });
    expect((await accepted()).callbackUrl).toContain('https://callbacks.example/behind/plugin-callback/HandsOut/task_');
    await kill();
  });

  it('takes a callback once, although it is killed before it could say so', async () => {
    await start();
    const task = await accepted();
    let acknowledging = 0;
    proxy.meddle(async ({ path }) => {
      if (!path.endsWith('/acknowledgements')) return null;
      acknowledging += 1;
      // The server waits for its answer until it is killed.
      return await new Promise<Response>(() => undefined);
    });
    expect((await callBack(task, done('once'))).status).toBe(200);
    await until('the server wants to acknowledge', () => acknowledging > 0);
    const { resultId } = await taskOf(task.id);
    expect(resultId).not.toBeNull();
    await kill();
    expect((await inbox()).items).toHaveLength(1);
    proxy.meddle(null);
    await start();
    await emptied();
    expect((await taskOf(task.id)).resultId).toBe(resultId);
    expect(await terminalResults([task.id])).toHaveLength(1);
    await kill();
  });

  it('refuses bytes that are not those of their hash, and takes the right ones later', async () => {
    await start();
    const [task, other] = [await accepted(), await accepted()];
    // One that the server has not got yet.
    const picture = Buffer.concat([png(), Buffer.from('tail')]);
    const changed = Buffer.from(picture);
    changed[changed.length - 1]! ^= 1;
    proxy.meddle(async ({ path }) => (path.includes('/blobs/') ? new Response(changed) : null));
    const resources = [{ id: 'picture', dataUri: `data:image/png;base64,${picture.toString('base64')}` }];
    expect((await callBack(task, done('with a picture', { resources }))).status).toBe(200);
    expect((await callBack(other, done('without'))).status).toBe(200);
    // The one is left, and keeps the other waiting no longer.
    expect((await resultOf(other.id)).data).toEqual({ text: 'without' });
    await until('it was told', () => server.stderr().includes('for those of'));
    expect((await taskOf(task.id)).resultId).toBeNull();
    expect((await inbox()).items.map(({ taskId }) => taskId)).toEqual([task.id]);
    proxy.meddle(null);
    expect((await resultOf(task.id)).resources).toMatchObject([{ sha256: hash('sha256', picture) }]);
    await emptied();
    await kill();
  });

  it('ends a task as failed whose result is not that of its command, and drops what has no task', async () => {
    await start();
    const [task, cancelled] = [await accepted(), await accepted()];
    await server.request(`/v1/tasks/${cancelled.id}/cancel`, { method: 'POST', body: '{}' });
    const secret = readFileSync(join(home.data, 'signing-key'), 'utf8').trim();
    const id = 'task_01KBAW00000000000000000000';
    const token = await createTaskTokens({ secrets: [secret], now: () => Date.now() }).sign(
      { toolName: 'HandsOut', taskId: id },
      Date.now() + 60_000,
    );
    const nobodys = { id, token, callbackUrl: `${receiver.url}/plugin-callback/HandsOut/${id}` };
    expect((await callBack(cancelled, done('too late'))).status).toBe(200);
    expect((await callBack(nobodys, done('of nobody'))).status).toBe(200);
    expect((await callBack(task, { result: { status: 'success', data: { number: 1 } } })).status).toBe(200);
    expect(await resultOf(task.id)).toMatchObject({ status: 'error', error: { code: 'INVALID_TOOL_RESULT' } });
    expect((await taskOf(task.id)).state).toBe('failed');
    await emptied();
    expect((await taskOf(cancelled.id)).state).toBe('cancelled');
    const dropped = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('inbox.item-dropped'))
      .map((line) => (JSON.parse(line) as { verdict: string }).verdict);
    expect(dropped.toSorted()).toEqual(['ended', 'unknown-task']);
    await kill();
  });

  it('ends no task as timed out whose callback came in time, though it was away longer and cannot look at once', async () => {
    const brief = {
      VCP_LIMIT_TASK_MS: '2000',
      VCP_LIMIT_TASK_SWEEP_MS: '50',
      VCP_LIMIT_INBOX_LONGEST_WAIT_MS: '400',
    };
    await start(brief);
    const [task, silent] = [await accepted(), await accepted()];
    await kill();
    expect((await callBack(task, done('in time'))).status).toBe(200);
    await sleep(2_500);
    proxy.meddle(async () => new Response(null, { status: 503 }));
    await start(brief);
    await sleep(1_000);
    expect([(await taskOf(task.id)).resultId, (await taskOf(silent.id)).resultId]).toEqual([null, null]);
    proxy.meddle(null);
    expect((await resultOf(task.id)).data).toEqual({ text: 'in time' });
    expect(await resultOf(silent.id)).toMatchObject({ status: 'timeout' });
    expect(server.stderr().match(/inbox\.not-read/g)).toHaveLength(1);
    await emptied();
    await kill();
  });

  it('takes a result that is too large for the database of its receiver', async () => {
    await start();
    const task = await accepted();
    const text = 'long '.repeat(20_000);
    expect((await callBack(task, done(text))).status).toBe(200);
    expect((await resultOf(task.id)).data).toEqual({ text });
    await emptied();
    await kill();
  });
});
