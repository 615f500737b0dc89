import { env } from 'cloudflare:test';
import { waitUntil } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openD1Database } from '../../adapters/d1/d1-database.ts';
import { createWorker } from '../../adapters/cloudflare/create-worker.ts';
import { createSqlApprovalStore } from '../../adapters/sql/sql-approval-store.ts';
import { createSqlScheduleStore } from '../../adapters/sql/sql-schedule-store.ts';
import { EVERY_MINUTE } from '../../adapters/cloudflare/upkeep.ts';
import type { Schedule, ScheduleDetails } from '../../src/protocol/schedule.ts';
import { manifest } from '../support/sample-values.ts';

const KEY = 'a-key-for-the-worker';
const context = { waitUntil };
const lastLook = { cron: EVERY_MINUTE };

/** What runs in an isolate, and what an isolate runs. Each `isolate` is another one, on the same database. */
const open = (variables: Record<string, string> = {}, command: Record<string, unknown> = {}) => {
  const calls: unknown[] = [];
  let answer = (): Promise<unknown> => Promise.resolve({ status: 'success', data: { ran: true } });
  const module = {
    processToolCall: (args: unknown) => {
      calls.push(args);
      return answer();
    },
  };
  const bindings = {
    VCP_API_KEY: KEY,
    VCP_SIGNING_KEY: 'a-signing-key-for-tests-of-the-worker',
    VCP_LOG_LEVEL: 'error',
    ...variables,
    RESOURCES: env.RESOURCES,
    DATABASE: env.DATABASE,
  };
  const isolate = () => {
    const worker = createWorker({
      plugins: [
        {
          location: 'plugins/Sample/plugin-manifest.json',
          manifest: JSON.stringify(manifest({ entryPoint: { type: 'module', file: 'main.mjs' } }, command)),
          refusal: null,
          configuration: {},
          module: module as never,
        },
      ],
      documents: { load: () => ({ openapi: {}, schemas: new Map() }) },
      version: '9.9.9',
      waitUntil,
    });
    const request = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...init.headers };
      const asked = new Request(`https://edge.example${path}`, { ...init, headers });
      return await worker.fetch(asked, bindings, context);
    };
    return {
      request,
      wake: (event: { readonly cron?: string } = lastLook) => worker.scheduled(event, bindings, context),
      schedule: async (fields: object) => {
        const body = JSON.stringify({ tool: 'Sample', arguments: {}, ...fields });
        const made = await request('/v1/schedules', { method: 'POST', body });
        expect(made.status).toBe(201);
        return (await made.json()) as Schedule;
      },
      show: async ({ id }: Schedule) => (await (await request(`/v1/schedules/${id}`)).json()) as ScheduleDetails,
    };
  };
  return { isolate, calls, answerWith: (give: typeof answer) => (answer = give) };
};

const soon = () => ({ at: new Date(Date.now() + 300).toISOString() });
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** An answer that comes when a test wants it. */
const withheld = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answer: () => promise.then(() => ({ status: 'success', data: null })), release: resolve };
};

describe('a worker that the platform wakes', () => {
  it('runs what is due, waits for it, and keeps its result', async () => {
    const { isolate, calls, answerWith } = open();
    answerWith(async () => {
      await pass(100);
      return { status: 'success', data: { ran: true } };
    });
    const { schedule, show, wake, request } = isolate();
    const made = await schedule({ ...soon(), label: 'soon' });
    await wake();
    expect((await show(made)).runs).toEqual([]);
    await pass(320);
    await wake();
    const { schedule: ended, runs } = await show(made);
    expect(ended).toMatchObject({ state: 'ended', runCount: 1, label: 'soon' });
    expect(runs).toMatchObject([{ state: 'finished', status: 'success', attempt: 1 }]);
    const result = await request(`/v1/results/${runs[0]?.resultId}`);
    expect(await result.json()).toMatchObject({ data: { ran: true }, origin: { source: 'scheduler' } });
    await wake();
    expect(calls).toHaveLength(1);
  });

  it('runs each due time once, however many isolates are woken at once', async () => {
    const { isolate, calls } = open();
    const first = isolate();
    const made = await Promise.all(Array.from({ length: 5 }, () => first.schedule(soon())));
    await pass(320);
    await Promise.all([first, first, isolate(), isolate()].map(({ wake }) => wake()));
    expect(calls).toHaveLength(5);
    for (const schedule of made)
      expect((await first.show(schedule)).runs).toMatchObject([{ state: 'finished', attempt: 1 }]);
  });

  it('calls no run lost that goes on in another isolate, of which all have one name', async () => {
    const { isolate, calls, answerWith } = open({ VCP_LIMIT_SCHEDULE_LEASE_MS: '1000' }, { idempotent: true });
    const { answer, release } = withheld();
    answerWith(answer);
    const { schedule, wake, show } = isolate();
    const made = await schedule(soon());
    await pass(320);
    const running = wake();
    for (let look = 0; look < 5; look += 1) {
      await pass(400);
      await isolate().wake();
    }
    expect((await show(made)).runs).toMatchObject([{ state: 'running', attempt: 1 }]);
    release();
    await running;
    expect((await show(made)).runs).toMatchObject([{ state: 'finished', attempt: 1 }]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    { command: {}, state: 'interrupted', attempt: 1, made: 0 },
    { command: { idempotent: true }, state: 'finished', attempt: 2, made: 1 },
  ])('tells of a run that was cut off as $state', async ({ command, state, attempt, made }) => {
    const { isolate, calls } = open({}, command);
    const { schedule, wake, show } = isolate();
    const cut = await schedule(soon());
    await pass(320);
    // What an invocation that was cut off leaves: a run that was taken two minutes ago.
    const { db, writer } = openD1Database(env.DATABASE);
    const at = Date.now();
    await createSqlScheduleStore(db, writer).advance({
      scheduleId: cut.id,
      from: Date.parse(cut.nextRunAt ?? ''),
      nextAt: null,
      at,
      runs: [
        {
          id: cut.id.replace('sch_', 'run_'),
          scheduleId: cut.id,
          dueAt: Date.parse(cut.nextRunAt ?? ''),
          times: 1,
          state: 'running',
          attempt: 1,
          isRepeatable: true,
          leaseUntil: at - 1,
          serverId: 'local',
          resultId: null,
          status: null,
          errorCode: null,
          reason: null,
          startedAt: at - 120_000,
          finishedAt: null,
        },
      ],
    });
    await Promise.all([wake(), isolate().wake()]);
    expect((await show(cut)).runs).toMatchObject([{ state, attempt }]);
    expect(calls).toHaveLength(made);
  });

  it('goes on with approved calls where schedules cannot be looked at, and says that it failed', async () => {
    const { isolate, calls } = open({}, { approval: true });
    const { request, wake } = isolate();
    const options = { method: 'POST', body: JSON.stringify({ tool: 'Sample', arguments: {} }) };
    const asked = await request('/v1/human/tool', { ...options, headers: { prefer: 'respond-async' } });
    const { task } = (await asked.json()) as { task: { id: string } };
    const { approvals } = (await (await request('/v1/approvals?state=pending')).json()) as {
      approvals: { id: string }[];
    };
    expect(approvals).toHaveLength(1);
    // As an isolate leaves it that was ended between the decision and the call.
    const { db, writer } = openD1Database(env.DATABASE);
    const decision = { state: 'approved', by: 'somebody', reason: null, at: Date.now() } as const;
    const store = createSqlApprovalStore(db, writer);
    await store.decide(approvals[0]?.id ?? '', { ...decision, usableUntil: decision.at + 60_000 });
    await env.DATABASE.batch([env.DATABASE.prepare('alter table schedules rename to hidden')]);
    await expect(wake()).rejects.toThrow(/schedules/);
    await env.DATABASE.batch([env.DATABASE.prepare('alter table hidden rename to schedules')]);
    expect(await (await request(`/v1/tasks/${task.id}`)).json()).toMatchObject({ state: 'completed' });
    expect(calls).toHaveLength(1);
  });

  it('gives addresses to what it runs before anybody has asked the isolate for anything', async () => {
    const { isolate, answerWith } = open();
    answerWith(async () => ({
      status: 'success',
      data: { file: { $resource: 'a' } },
      resources: [{ id: 'a', fileName: 'a.txt', mimeType: 'text/plain', base64: 'Ynl0ZXM=' }],
    }));
    const asked = isolate();
    const made = await asked.schedule(soon());
    await pass(320);
    await isolate().wake();
    const [run] = (await asked.show(made)).runs;
    const result = await asked.request(`/v1/results/${run?.resultId}`);
    const { resources } = (await result.json()) as { resources: { url: string }[] };
    expect(resources[0]?.url).toMatch(/^https:\/\/edge\.example\/v1\/resources\/res_/);
  });

  it('leaves garbage to the triggers of other times', async () => {
    const { isolate } = open({ VCP_LIMIT_RETAIN_RESULTS_MS: '1', VCP_LIMIT_RETAIN_SCHEDULES_MS: '1' });
    const { request, schedule, show, wake } = isolate();
    const made = await schedule(soon());
    await pass(320);
    await wake();
    const [run] = (await show(made)).runs;
    await pass(20);
    await wake();
    expect((await request(`/v1/results/${run?.resultId}`)).status).toBe(200);
    await wake({ cron: '17 * * * *' });
    expect((await request(`/v1/results/${run?.resultId}`)).status).toBe(404);
    expect((await request(`/v1/schedules/${made.id}`)).status).toBe(404);
  });

  it('lets models make schedules by its tool', async () => {
    const { isolate } = open();
    const { request } = isolate();
    const body = {
      tool: 'TaskScheduler',
      arguments: { command: 'CreateSchedule', tool: 'Sample', when: '2100-01-01-10:00' },
    };
    const made = await request('/v1/human/tool', { method: 'POST', body: JSON.stringify(body) });
    expect(await made.json()).toMatchObject({
      status: 'success',
      data: { schedule: { at: '2100-01-01T10:00:00.000Z', state: 'active' } },
    });
    const tooOften = JSON.stringify({ tool: 'Sample', arguments: {}, cron: '*/10 * * * * *' });
    const refused = await request('/v1/schedules', { method: 'POST', body: tooOften });
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST' })]);
  });
});
