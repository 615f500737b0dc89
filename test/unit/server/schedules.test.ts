import { describe, expect, it } from 'vitest';
import type { Schedule, ScheduleDetails, ScheduleListing } from '../../../src/protocol/schedule.ts';
import { createMemoryApp, type MemoryApp, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const schema = {
  type: 'object',
  properties: { count: { type: 'integer' }, text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};
const app = (options: MemoryRuntimeOptions = {}) =>
  createMemoryApp({
    manifests: [manifest({}, { inputSchema: schema }), manifest({ name: 'Other' })],
    clock: { now: () => NOW, monotonic: () => 0 },
    ...options,
  });

const post = (parts: MemoryApp, body: unknown, as = 'alice') =>
  parts.send('/v1/schedules', {
    method: 'POST',
    as,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const call = { tool: 'Sample', arguments: { text: 'hello' } };
const later = { ...call, at: '2026-12-01T09:30:00+01:00' };
const made = async (parts: MemoryApp, body: unknown = later, as = 'alice') => {
  const response = await post(parts, body, as);
  expect(response.status).toBe(201);
  return (await response.json()) as Schedule;
};
const faultsOf = async (response: Response) => {
  const { code, errors } = (await response.json()) as { code: string; errors?: { pointer: string; detail: string }[] };
  return [response.status, code, ...(errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`)];
};

describe('POST /v1/schedules', () => {
  it('answers with the schedule, and where it is', async () => {
    const parts = app();
    const response = await post(parts, { ...later, label: '日报', timeoutMs: 5_000 });
    const schedule = (await response.json()) as Schedule;
    expect([response.status, response.headers.get('location')]).toEqual([201, `/v1/schedules/${schedule.id}`]);
    expect(schedule).toEqual({
      id: expect.stringMatching(/^sch_[0-9A-Z]{26}$/) as string,
      owner: 'alice',
      label: '日报',
      tool: 'Sample',
      arguments: { text: 'hello' },
      actor: { type: 'human', id: 'alice', name: 'alice', maid: null },
      at: '2026-12-01T08:30:00.000Z',
      cron: null,
      timeZone: null,
      startAt: null,
      endAt: null,
      maxRuns: null,
      timeoutMs: 5_000,
      missed: 'once',
      overlap: 'skip',
      state: 'active',
      nextRunAt: '2026-12-01T08:30:00.000Z',
      runCount: 0,
      createdAt: '2026-11-30T12:00:00.000Z',
      updatedAt: '2026-11-30T12:00:00.000Z',
    });
  });

  it('takes a series, in the zone of the server unless it names one', async () => {
    const parts = app();
    expect(await made(parts, { ...call, cron: '30 9 * * *' })).toMatchObject({
      timeZone: 'Europe/Berlin',
      missed: 'skip',
      nextRunAt: '2026-12-01T08:30:00.000Z',
    });
    const series = {
      ...call,
      cron: '30 9 * * *',
      timeZone: 'Asia/Shanghai',
      maxRuns: 3,
      overlap: 'run',
      missed: 'once',
    };
    expect(await made(parts, series)).toMatchObject({
      timeZone: 'Asia/Shanghai',
      maxRuns: 3,
      overlap: 'run',
      missed: 'once',
      nextRunAt: '2026-12-01T01:30:00.000Z',
    });
  });

  it.each<[string, unknown, string[]]>([
    ['no time', call, [' needs a time: "at" or "cron"']],
    ['two times', { ...later, cron: '* * * * *' }, ['/cron stands beside "at"; give one of them']],
    ['a zone beside "at"', { ...later, timeZone: 'UTC' }, ['/timeZone goes with "cron" only']],
    ['a time of no form', { ...call, at: 'tomorrow' }, ['/at invalid ISO datetime']],
    [
      'a time in the past',
      { ...call, at: '2026-11-30T11:59:59Z' },
      ['/at is in the past: it is 2026-11-30T12:00:00.000Z now'],
    ],
    ['an unknown field', { ...later, when: 1 }, ['/when unknown field "when"']],
    ['an unknown tool', { ...later, tool: 'Sampel' }, ['/tool there is no tool "Sampel"; did you mean "Sample"?']],
    ['a missing argument', { ...later, arguments: {} }, ['/arguments/text is required']],
    [
      'arguments of another kind',
      { ...later, arguments: { text: 1, count: 'x' } },
      ['/arguments/text must be of type string, not number', '/arguments/count must be of type integer, not string'],
    ],
    [
      'an unreadable cron',
      { ...call, cron: '99 * * * *' },
      [
        '/cron cannot be read: Invalid value for minute: 99; write "minute hour day month weekday", such as "30 9 * * MON-FRI"',
      ],
    ],
  ])('refuses %s with its place', async (_, body, faults) => {
    const refused = await faultsOf(await post(app(), body));
    expect(refused.slice(0, 2)).toEqual([400, 'INVALID_REQUEST']);
    expect(refused.slice(2).toSorted()).toEqual(faults.toSorted());
  });

  it.each([
    ['a tool that the key may not use', 'limited'],
    ['any tool for a key that uses none', 'node'],
  ])('refuses %s', async (_, as) => {
    expect(await faultsOf(await post(app(), later, as))).toEqual([403, 'FORBIDDEN']);
  });

  it('does not tell a limited key of tools that it may not use', async () => {
    const response = await post(app(), { ...later, tool: 'Othex', arguments: {} }, 'limited');
    expect(response.status).toBe(403);
  });

  it('refuses a tool that is switched off', async () => {
    const parts = app();
    await parts.plugins.setEnabled('Sample', false, 'operator');
    expect(await faultsOf(await post(parts, later))).toEqual([
      400,
      'INVALID_REQUEST',
      '/tool Sample is switched off on this server',
    ]);
  });

  it('refuses arguments that are too large to keep', async () => {
    const parts = app({ limits: { scheduleArgumentsBytes: 100 } });
    const refused = await faultsOf(await post(parts, { ...later, arguments: { text: '日'.repeat(40) } }));
    expect(refused).toEqual([400, 'INVALID_REQUEST', '/arguments have at most 100 bytes as JSON']);
  });

  it('refuses more than a key may have, until one has ended', async () => {
    const parts = app({ limits: { schedulesPerOwner: 2 } });
    const first = await made(parts);
    await made(parts);
    expect(await faultsOf(await post(parts, later))).toEqual([409, 'TOO_MANY_SCHEDULES']);
    await made(parts, later, 'bob');
    await parts.send(`/v1/schedules/${first.id}`, { method: 'DELETE' });
    await made(parts);
  });

  it('wants JSON', async () => {
    const response = await app().send('/v1/schedules', { method: 'POST', body: 'at noon' });
    expect(response.status).toBe(415);
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"tool":' };
    expect((await app().send('/v1/schedules', broken)).status).toBe(400);
    for (const body of [null, [], 'x', 7]) expect((await post(app(), body)).status).toBe(400);
  });

  it('takes none while the server closes', async () => {
    const parts = createMemoryApp({ app: { isReady: () => false } });
    expect(await faultsOf(await post(parts, later))).toEqual([503, 'SHUTTING_DOWN']);
  });

  it('tells the owner', async () => {
    const parts = app();
    const { id } = await made(parts);
    expect(parts.emitted).toMatchObject([
      {
        type: 'schedule',
        scheduleId: id,
        toolName: 'Sample',
        data: { state: 'created', dueAt: '2026-12-01T08:30:00.000Z', status: null },
        audience: { to: 'owner', owner: 'alice' },
      },
    ]);
  });
});

describe('reading schedules', () => {
  const ids = async (parts: MemoryApp, query: string, as = 'alice') => {
    const response = await parts.send(`/v1/schedules${query}`, { as });
    const { schedules, nextCursor } = (await response.json()) as ScheduleListing;
    return { ids: schedules.map(({ id }) => id), nextCursor };
  };

  it('lists those of the key, page by page; an operator sees all', async () => {
    const parts = app();
    const own = [await made(parts), await made(parts), await made(parts)].map(({ id }) => id).toReversed();
    const strange = await made(parts, later, 'bob');
    const first = await ids(parts, '?limit=2');
    expect(first.ids).toEqual(own.slice(0, 2));
    expect(await ids(parts, `?limit=2&cursor=${first.nextCursor}`)).toEqual({ ids: own.slice(2), nextCursor: null });
    expect((await ids(parts, '', 'operator')).ids).toEqual([strange.id, ...own]);
    expect((await ids(parts, '?state=cancelled')).ids).toEqual([]);
    expect((await ids(parts, '?tool=Other')).ids).toEqual([]);
  });

  it('shows one with a page of its runs, to its owner and operators', async () => {
    const parts = app();
    const { id } = await made(parts);
    const show = (as: string) => parts.send(`/v1/schedules/${id}`, { as });
    expect((await show('bob')).status).toBe(404);
    for (const as of ['alice', 'operator'])
      expect((await (await show(as)).json()) as ScheduleDetails).toMatchObject({
        schedule: { id },
        runs: [],
        nextCursor: null,
      });
  });

  it.each([
    ['/v1/schedules/nothing', 404],
    ['/v1/schedules?limit=101', 400],
    ['/v1/schedules?state=asleep', 400],
    ['/v1/schedules?cursor=invented', 400],
    ['/v1/schedules?page=2', 400],
  ])('answers to %s with %i', async (path, status) => {
    expect((await app().send(path)).status).toBe(status);
  });

  it('refuses a cursor of runs that no page gave', async () => {
    const parts = app();
    const { id } = await made(parts);
    expect((await parts.send(`/v1/schedules/${id}?cursor=after:${id}`)).status).toBe(400);
    // Who may not see the schedule is told no more than of one that there is not.
    expect((await parts.send(`/v1/schedules/${id}?cursor=x`, { as: 'bob' })).status).toBe(404);
  });
});

describe('DELETE /v1/schedules/:id', () => {
  const cancel = (parts: MemoryApp, id: string, as = 'alice') =>
    parts.send(`/v1/schedules/${id}`, { method: 'DELETE', as });

  it('ends it once, keeps it, and says the same when asked again', async () => {
    const parts = app();
    const { id } = await made(parts);
    const first = await cancel(parts, id);
    expect([first.status, await first.json()]).toMatchObject([200, { id, state: 'cancelled', nextRunAt: null }]);
    const second = await cancel(parts, id);
    expect([second.status, await second.json()]).toMatchObject([200, { state: 'cancelled' }]);
    expect(parts.emitted.map((event) => event.type === 'schedule' && event.data.state)).toEqual([
      'created',
      'cancelled',
    ]);
    expect((await parts.send(`/v1/schedules/${id}`)).status).toBe(200);
  });

  it('is for the owner and operators', async () => {
    const parts = app();
    const { id } = await made(parts);
    expect((await cancel(parts, id, 'bob')).status).toBe(404);
    expect((await cancel(parts, id, 'operator')).status).toBe(200);
  });

  it('says that one has ended already', async () => {
    const parts = app();
    const { id, nextRunAt } = await made(parts);
    const from = Date.parse(nextRunAt!);
    await parts.scheduleStore.advance({ scheduleId: id, from, nextAt: null, runs: [], at: NOW });
    expect(await faultsOf(await cancel(parts, id))).toEqual([409, 'SCHEDULE_ENDED']);
    expect((await cancel(parts, 'nothing')).status).toBe(404);
  });
});
