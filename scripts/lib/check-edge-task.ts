import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { PNG } from 'pngjs';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { Task } from '../../src/protocol/task.ts';
import type { Job, JobService } from './job-service.ts';
import type { WatchedEvents } from './watch-events.ts';

type Request = (path: string, init?: RequestInit) => Promise<Response>;

/** A call that a service outside carries out, from its acceptance to a part of the picture that the service sends. */
export const checkEdgeTask = async (
  request: Request,
  jobs: JobService,
  events: WatchedEvents,
  tell: (line: string) => void,
): Promise<void> => {
  const called = await request('/v1/human/tool', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool: 'JobRelay', arguments: { command: 'Draw', prompt: 'a lighthouse' } }),
  });
  const accepted = (await called.json()) as CanonicalToolResult;
  assert.equal(accepted.status, 'accepted', JSON.stringify(accepted.error));
  const taskId = accepted.task?.id ?? '';
  const job = await jobs.next();
  assert.deepEqual([job.kind, job.taskId, job.arguments.prompt], ['Draw', taskId, 'a lighthouse']);
  assert.equal(await stateOf(request, taskId), 'queued');
  tell('ok  an asynchronous tool is accepted, and its job is with the service');

  await checkCallbacks(job);
  tell('ok  nobody calls back without the token of the task, and progress is told by it');

  const picture = drawPicture();
  const callback = {
    'webhook-id': `msg_${randomUUID()}`,
    body: {
      taskId,
      result: {
        status: 'success',
        data: { prompt: job.arguments.prompt, image: { $resource: 'drawn' } },
        resources: [
          { id: 'drawn', fileName: 'lighthouse.png', mimeType: 'image/png', base64: picture.toString('base64') },
        ],
      },
    },
  };
  const [first, again] = [await callBack(job, callback), await callBack(job, callback)];
  assert.deepEqual([first.status, again.status], [200, 200], await first.clone().text());
  const ended = (await first.json()) as { state: string; resultId: string };
  assert.equal(ended.state, 'completed');
  assert.deepEqual(await again.json(), ended);
  tell('ok  the service calls back with a picture, which is taken once though it comes twice');

  const pushed = await events.first(
    ({ type, taskId: of, resultId }) => type === 'task' && of === taskId && resultId !== null,
  );
  assert.deepEqual([pushed['resultId'], pushed['toolName']], [ended.resultId, 'JobRelay']);
  const progress = await events.first(({ type, taskId: of }) => type === 'vcp_info' && of === taskId);
  assert.deepEqual([progress['progress'], progress['message']], [0.5, 'half of it']);
  tell('ok  progress and end of the task are pushed over a WebSocket');

  assert.equal(await stateOf(request, taskId), 'completed');
  const read = await request(`/v1/results/${ended.resultId}?view=canonical`);
  const result = (await read.json()) as CanonicalToolResult;
  assert.deepEqual([result.status, result.execution.invocationId], ['success', accepted.execution.invocationId]);
  const [drawn] = result.resources;
  assert.equal(drawn?.mimeType, 'image/png');
  assert.equal(drawn.sha256, createHash('sha256').update(picture).digest('hex'));
  const { pathname } = new URL(drawn.url);
  const range = `bytes=${picture.length - 8}-`;
  const part = await request(pathname, { headers: { range } });
  assert.equal(part.status, 206);
  assert.equal(
    part.headers.get('content-range'),
    `bytes ${picture.length - 8}-${picture.length - 1}/${picture.length}`,
  );
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), picture.subarray(-8));
  tell('ok  the result is read back, and the end of its picture by a Range request');
};

const stateOf = async (request: Request, taskId: string): Promise<string> => {
  const response = await request(`/v1/tasks/${taskId}`);
  assert.equal(response.status, 200);
  return ((await response.json()) as Task).state;
};

const checkCallbacks = async (job: Job): Promise<void> => {
  const progress = { body: { taskId: job.taskId, progress: { progress: 0.5, message: 'half of it' } } };
  const forged = await callBack({ ...job, token: `${job.token.slice(0, -4)}AAAA` }, progress);
  assert.equal(forged.status, 401);
  const told = await callBack(job, progress);
  assert.equal(told.status, 200, await told.clone().text());
  assert.equal(((await told.json()) as { state: string }).state, 'running');
};

/** As docs/async-tools.md has it. */
const callBack = (
  { callbackUrl, token }: Job,
  { body, 'webhook-id': id = `msg_${randomUUID()}` }: { readonly body: object; readonly 'webhook-id'?: string },
): Promise<Response> =>
  fetch(callbackUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `VCP-Plugin ${token}`,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    },
    body: JSON.stringify({ protocol: { name: 'vcp.tool-result-callback', version: '1.0' }, ...body }),
  });

/** Of a size that no part of it stands for the whole: noise does not compress. */
const drawPicture = (): Buffer => {
  const picture = new PNG({ width: 64, height: 64 });
  for (let at = 0; at < picture.data.length; at += 1) picture.data[at] = (at * 2_654_435_761) >>> 24;
  return PNG.sync.write(picture);
};
