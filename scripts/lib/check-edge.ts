import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EVERY_MINUTE } from '../../adapters/cloudflare/upkeep.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { checkEdgeTask } from './check-edge-task.ts';
import { checkEdgeSchedule } from './check-edge-schedule.ts';
import type { JobService } from './job-service.ts';
import { watchEvents } from './watch-events.ts';
import type { WranglerDev } from './wrangler-dev.ts';

/** Bytes that every PNG begins with. */
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export type CheckedWorker = Pick<WranglerDev, 'url' | 'wake'> & {
  readonly key: string;
  /** Where its plugin JobRelay brings jobs. */
  readonly jobs: JobService;
};

/** Uses a worker as a person would, from a call of a sandboxed tool to what a service outside has made of a job. */
export const checkEdge = async (
  { url, key, jobs, wake }: CheckedWorker,
  tell: (line: string) => void,
): Promise<void> => {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

  const version = await fetch(new URL('/version', url));
  assert.equal(version.status, 200);
  assert.equal(((await version.json()) as { name: string }).name, 'vcp-runtime');
  tell('ok  the worker answers');

  assert.equal((await fetch(new URL('/v1/tools', url))).status, 401);
  tell('ok  nobody gets in without a key');

  const ready = await request('/readyz');
  assert.equal(ready.status, 200, await ready.clone().text());
  tell('ok  its database and its bucket answer');

  const called = await request('/v1/human/tool', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool: 'QrCode', arguments: { command: 'Image', text: 'https://example.com/' } }),
  });
  assert.equal(called.status, 200);
  const result = (await called.json()) as CanonicalToolResult;
  assert.equal(result.status, 'success', JSON.stringify(result.error));
  const [picture] = result.resources;
  assert.equal(picture?.mimeType, 'image/png');
  assert.equal((result.data as { modules: number }).modules, 25);
  tell(`ok  a sandboxed tool drew a QR code in ${result.execution.durationMs} ms`);

  const { pathname } = new URL(picture.url);
  const whole = await request(pathname);
  assert.equal(whole.status, 200);
  const bytes = Buffer.from(await whole.arrayBuffer());
  assert.deepEqual(bytes.subarray(0, 8), PNG_SIGNATURE);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), picture.sha256);
  tell(`ok  the picture is read back: ${bytes.length} bytes, with the SHA-256 of the result`);

  const part = await request(pathname, { headers: { range: 'bytes=1-3' } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes 1-3/${bytes.length}`);
  assert.equal(await part.text(), 'PNG');
  tell('ok  a Range request gets its part');

  const again = await request(`/v1/results/${result.id}?view=canonical`);
  assert.equal(again.status, 200);
  assert.deepEqual(await again.json(), result);
  const record = await request(`/v1/records/${result.execution.recordId}`);
  assert.equal(((await record.json()) as { resultId: string }).resultId, result.id);
  tell('ok  result and record are kept');

  const events = await watchEvents(url, request);
  await checkEdgeTask(request, jobs, events, tell);
  events.close();
  await checkEdgeSchedule(request, () => wake(EVERY_MINUTE), tell);

  const listing = await request('/v1/tools?include=refused');
  const { refused } = (await listing.json()) as { refused: { name: string; reason: string }[] };
  assert.match(refused.find(({ name }) => name === 'ScheduleManager')?.reason ?? '', /Workers start none/);
  tell('ok  tools that need a process are listed with the reason');
};
