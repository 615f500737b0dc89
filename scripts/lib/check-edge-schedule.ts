import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { Schedule, ScheduleDetails } from '../../src/protocol/schedule.ts';

/** A call that is made later: when the Cron trigger wakes the worker after its time. */
export const checkEdgeSchedule = async (
  request: (path: string, init?: RequestInit) => Promise<Response>,
  wake: () => Promise<void>,
  tell: (line: string) => void,
): Promise<void> => {
  const made = await request('/v1/schedules', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      tool: 'DateTime',
      arguments: { command: 'Now', timeZone: 'UTC' },
      at: new Date(Date.now() + 1_000).toISOString(),
    }),
  });
  assert.equal(made.status, 201, await made.clone().text());
  const { id } = (await made.json()) as Schedule;
  await sleep(1_100);
  // Two at once, as the platform may have it.
  await Promise.all([wake(), wake()]);
  const { schedule, runs } = (await (await request(`/v1/schedules/${id}`)).json()) as ScheduleDetails;
  assert.deepEqual([schedule.state, runs.map(({ state }) => state)], ['ended', ['finished']]);
  const result = await request(`/v1/results/${runs[0]?.resultId}?view=canonical`);
  assert.equal(((await result.json()) as CanonicalToolResult).status, 'success');
  tell('ok  a scheduled call is made once when the Cron trigger wakes the worker, and its result is kept');
};
