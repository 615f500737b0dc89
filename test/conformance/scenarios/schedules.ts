import { expect, it } from 'vitest';
import { Schedule, ScheduleDetails, ScheduleListing } from '../../../src/protocol/schedule.ts';
import { success, type Caller } from '../target.ts';

/** Schedules as clients make, read and end them; each server runs them in its own way. */
export const scheduleScenarios = ({ request, getJson, call, view, wake }: Caller): void => {
  const ask = (method: string, path: string, body?: unknown) =>
    request(path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const create = (fields: object, data: unknown = { made: 'later' }) =>
    ask('POST', '/v1/schedules', {
      tool: 'PayloadEcho',
      arguments: { command: 'Answer', payload: success(data) },
      ...fields,
    });
  const created = async (fields: object, data?: unknown) => {
    const response = await create(fields, data);
    expect(response.status).toBe(201);
    const schedule = Schedule.parse(await response.json());
    expect(response.headers.get('location')).toBe(`/v1/schedules/${schedule.id}`);
    return schedule;
  };
  const details = async ({ id }: Schedule) => ScheduleDetails.parse(await getJson(`/v1/schedules/${id}`));
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

  it('makes a call at its time, once, and keeps the result', async () => {
    const schedule = await created({ at: inMs(500), label: 'soon' }, { mark: 'made later' });
    expect(schedule).toMatchObject({ state: 'active', runCount: 0, label: 'soon', nextRunAt: schedule.at });
    expect((await details(schedule)).runs).toEqual([]);
    await expect
      .poll(
        async () => {
          await wake();
          return (await details(schedule)).runs.map(({ state }) => state);
        },
        { timeout: 10_000, interval: 200 },
      )
      .toEqual(['finished']);
    const { schedule: ended, runs } = await details(schedule);
    expect(ended).toMatchObject({ state: 'ended', runCount: 1, nextRunAt: null });
    expect(runs).toMatchObject([{ dueAt: schedule.at, status: 'success', attempt: 1, times: 1, errorCode: null }]);
    expect(await view(runs[0]?.resultId ?? '', 'canonical')).toMatchObject({
      data: { mark: 'made later' },
      origin: { source: 'scheduler' },
      tool: { name: 'PayloadEcho', command: 'Answer' },
    });
  });

  it('lists them newest first in pages, and cancels one for good', async () => {
    const made = [];
    for (const hour of [1, 2, 3]) made.push(await created({ cron: `0 ${hour} * * *`, timeZone: 'Asia/Shanghai' }));
    const [first, second, third] = made.map(({ id }) => id) as [string, string, string];
    const page = ScheduleListing.parse(await getJson('/v1/schedules?state=active&limit=2'));
    expect(page.schedules.map(({ id }) => id)).toEqual([third, second]);
    const rest = ScheduleListing.parse(
      await getJson(`/v1/schedules?state=active&limit=2&cursor=${encodeURIComponent(page.nextCursor ?? '')}`),
    );
    expect(rest.schedules.map(({ id }) => id)).toContain(first);
    for (const id of [first, second, third]) {
      const cancelled = await ask('DELETE', `/v1/schedules/${id}`);
      expect([cancelled.status, await cancelled.json()]).toEqual([
        200,
        expect.objectContaining({ id, state: 'cancelled', nextRunAt: null }),
      ]);
    }
    expect((await getJson<ScheduleListing>('/v1/schedules?state=active&limit=2')).schedules).toEqual([]);
    expect((await ask('DELETE', `/v1/schedules/${first}`)).status).toBe(200);
  });

  it('runs no schedule that was cancelled before its time', async () => {
    const schedule = await created({ at: inMs(700) });
    expect((await ask('DELETE', `/v1/schedules/${schedule.id}`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await wake();
    expect(await details(schedule)).toMatchObject({ schedule: { state: 'cancelled', runCount: 0 }, runs: [] });
  });

  it.each([
    { of: 'no time', fields: {}, pointer: '' },
    { of: 'a time that is over', fields: { at: '2020-01-01T00:00:00Z' }, pointer: '/at' },
    { of: 'a pattern that is none', fields: { cron: 'every day' }, pointer: '/cron' },
    { of: 'times too close to each other', fields: { cron: '* * * * * *' }, pointer: '/cron' },
    { of: 'a zone that is none', fields: { cron: '0 1 * * *', timeZone: 'Mars/Base' }, pointer: '/timeZone' },
    { of: 'a tool that is not there', fields: { tool: 'Nobody', at: '2100-01-01T00:00:00Z' }, pointer: '/tool' },
    {
      of: 'arguments that do not fit',
      fields: { arguments: { command: 'AnswerNumber' }, at: '2100-01-01T00:00:00Z' },
      pointer: '/arguments/payload',
    },
  ])('refuses $of, and says where', async ({ fields, pointer }) => {
    const refused = await create(fields);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', errors: [{ pointer }] },
    ]);
  });

  it('has none that was never made', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, '/v1/schedules/sch_00000000000000000000000000')).status).toBe(404);
  });

  it('offers the same to models as a tool', async () => {
    const made = await call('TaskScheduler', {
      command: 'CreateSchedule',
      tool: 'PayloadEcho',
      arguments: { command: 'Answer', payload: success(null) },
      when: '2100-01-01T10:00:00Z',
    });
    expect(made).toMatchObject({ status: 'success', data: { schedule: { at: '2100-01-01T10:00:00.000Z' } } });
    const { scheduleId } = (made.data as { schedule: { scheduleId: string } }).schedule;
    expect(await call('TaskScheduler', { command: 'CancelSchedule', scheduleId })).toMatchObject({
      data: { schedule: { state: 'cancelled' } },
    });
  });
};
