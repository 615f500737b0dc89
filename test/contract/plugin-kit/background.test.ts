// Asynchronous commands: what the kits answer at once, and what they post when the work is done, in both languages alike.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Callback } from '../../../src/protocol/callback.ts';
import { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import { cancelLine, invocationLine, startPluginProcess } from '../../support/plugin-process.ts';
import { until } from '../../support/processes.ts';
import { KITS } from './kits.ts';

const TASK_ID = 'task_01K00000000000000000000000';
const CALL_ID = 'ti_01K00000000000000000000000';

type Posted = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Callback };

let directory: string;
let server: Server;
let posted: Posted[];
/** What the host answers, in order; 200 after that. */
let answers: { status: number; body?: string; headers?: Record<string, string> }[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-job-'));
  posted = [];
  answers = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Callback.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      posted.push({ path: request.url ?? '', headers: request.headers, body });
      const answer = 'progress' in body ? { status: 200 } : (answers.shift() ?? { status: 200 });
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  rmSync(directory, { recursive: true, force: true });
});

const ends = () => posted.filter(({ body }) => 'result' in body);
const resultOf = ({ body }: Posted) => ('result' in body ? body.result : null);

describe.each(KITS)('the $kit kit, for an asynchronous command,', (program) => {
  const context = () => {
    const { port } = server.address() as AddressInfo;
    const callbackUrl = `http://127.0.0.1:${port}/plugin-callback/Fixture/${TASK_ID}`;
    return { invocationId: CALL_ID, resourceDir: directory, task: { id: TASK_ID, callbackUrl, token: 'the-token' } };
  };
  const start = (args: unknown) => {
    const plugin = startPluginProcess(program, {});
    plugin.write(invocationLine('Later', args, { context: context() }));
    plugin.endInput();
    return plugin;
  };

  it('answers with accepted at once, and posts progress and the result', async () => {
    const plugin = start({ ms: 300 });
    const [accepted] = await plugin.received('tool-result', 1);
    expect(ends()).toHaveLength(0);
    expect(PluginResultPayload.parse(accepted?.payload)).toMatchObject({
      status: 'accepted',
      task: { id: TASK_ID, state: 'running' },
    });
    expect(await plugin.ended).toBe(0);
    expect(posted.map(({ body }) => Object.keys(body).at(-1))).toEqual(['progress', 'result']);
    expect(posted[0]?.body).toMatchObject({ taskId: TASK_ID, progress: { stage: 'working', progress: 0.5 } });
    const [end] = ends();
    expect(end?.path).toBe(`/plugin-callback/Fixture/${TASK_ID}`);
    expect(end?.headers).toMatchObject({ authorization: 'VCP-Plugin the-token', 'content-type': 'application/json' });
    expect(end?.headers['webhook-id']).toMatch(/^msg_/);
    expect(Math.abs(Number(end?.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
    expect(resultOf(end!)).toMatchObject({ status: 'success', data: { done: true } });
    expect(plugin.frames()).toHaveLength(1);
  });

  it('puts its files into the callback', async () => {
    const plugin = start({ file: 'a.txt', bytes: 5 });
    expect(await plugin.ended).toBe(0);
    const result = resultOf(ends()[0]!);
    expect(result?.resources).toMatchObject([{ id: 'f', fileName: 'a.txt', base64: 'eHh4eHg=' }]);
    expect(result?.resources[0]).not.toHaveProperty('localPath');
  });

  it('refuses files that a callback cannot carry', async () => {
    await start({ file: 'a.txt', bytes: 11 * 1024 * 1024 + 1 }).ended;
    expect(resultOf(ends()[0]!)).toMatchObject({ status: 'error', error: { code: 'RESOURCE_TOO_LARGE' } });
  });

  it.each([
    ['fails', { code: 'JOB.FAILED', message: 'the job failed', retryable: true }],
    ['crashes', { code: 'INTERNAL_ERROR' }],
  ])('posts an error when the work %s', async (kind, error) => {
    await start({ [kind]: true }).ended;
    expect(resultOf(ends()[0]!)).toMatchObject({ status: 'error', error });
  });

  it('sends the end of a task again, as the same one, until the host takes it', async () => {
    answers = [{ status: 503 }, { status: 429 }];
    expect(await start({}).ended).toBe(0);
    expect(ends()).toHaveLength(3);
    expect(new Set(ends().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('ends its task with an error when the host refuses the result', async () => {
    answers = [{ status: 422, body: '{"detail":"/data: must have name"}' }];
    const plugin = start({});
    expect(await plugin.ended).toBe(0);
    expect(ends()).toHaveLength(2);
    expect(resultOf(ends()[1]!)).toMatchObject({ status: 'error', error: { code: 'INVALID_TOOL_RESULT' } });
    expect(JSON.stringify(resultOf(ends()[1]!))).toContain('must have name');
    expect(plugin.stderr()).toContain('422');
  });

  it('does not follow the host to another address with its token', async () => {
    answers = [{ status: 307, headers: { location: '/elsewhere' } }];
    const plugin = start({});
    expect(await plugin.ended).toBe(0);
    expect(ends().map(({ path }) => path)).toEqual([`/plugin-callback/Fixture/${TASK_ID}`]);
    expect(plugin.stderr()).toContain('307');
  });

  it('posts nothing when it is told to end', async () => {
    const plugin = start({ hangs: true });
    await plugin.received('tool-result', 1);
    await until('the progress', () => posted.length > 0);
    plugin.child.kill('SIGTERM');
    expect(await plugin.ended).toBe(143);
    expect(ends()).toHaveLength(0);
  });

  it('posts nothing for a task of a worker that was cancelled, and goes on serving', async () => {
    const plugin = startPluginProcess(program, { VCP_STDIO_MODE: 'worker' });
    plugin.write(invocationLine('Later', { hangs: true }, { invocationId: CALL_ID, context: context() }));
    await plugin.received('tool-result', 1);
    plugin.write(cancelLine(CALL_ID));
    const other = 'ti_01K00000000000000000000001';
    plugin.write(invocationLine('Later', {}, { invocationId: other, context: context() }));
    await until('the end of the other', () => ends().length > 0);
    expect(ends()).toHaveLength(1);
    plugin.endInput();
    expect(await plugin.ended).toBe(0);
  });

  it('says what is wrong when the host gave no task', async () => {
    const plugin = startPluginProcess(program, {});
    plugin.write(invocationLine('Later', {}));
    plugin.endInput();
    await plugin.ended;
    expect(plugin.frames()[0]?.payload).toMatchObject({
      status: 'error',
      error: { code: 'INTERNAL_ERROR', message: expect.stringContaining('"async": true') as unknown },
    });
  });
});
