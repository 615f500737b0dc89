import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { createMemoryApp, type MemoryApp } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

type Summary = { scheduleId: string; title: string; time: string | null; state: string };
type Answer = {
  status: string;
  data: { schedule: Summary; schedules: Summary[]; nextCursor: string | null };
  error: { code: string; message: string; target: string | null; details: JsonObject | null } | null;
};

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const app = async () => {
  const parts = createMemoryApp({
    manifests: [manifest(), manifest({ name: 'Other' })],
    builtIn: true,
    clock: { now: () => NOW, monotonic: () => 0 },
  });
  await parts.plugins.reload();
  return parts;
};
const use = async (parts: MemoryApp, command: string, args: JsonObject, as = 'alice'): Promise<Answer> =>
  (await (await parts.call({ tool: 'TaskScheduler', arguments: { command, ...args } }, as)).json()) as Answer;
const sample = { tool: 'Sample', arguments: { n: 1 }, when: '2026-12-01-09:30' };

describe('the tool TaskScheduler', () => {
  it('makes a schedule for its caller, by the local time of the server', async () => {
    const parts = await app();
    const { status, data } = await use(parts, 'CreateSchedule', { ...sample, label: 'Remind' });
    expect([status, data]).toEqual([
      'success',
      {
        schedule: {
          scheduleId: expect.stringMatching(/^sch_/) as string,
          title: 'Remind',
          tool: 'Sample',
          time: '2026-12-01T08:30:00.000Z',
          at: '2026-12-01T08:30:00.000Z',
          cron: null,
          timeZone: null,
          state: 'active',
          runCount: 0,
          lastRun: null,
        },
      },
    ]);
    expect(await parts.schedules.get(data.schedule.scheduleId)).toMatchObject({
      owner: 'alice',
      arguments: { n: 1 },
      actor: { type: 'human', name: 'alice' },
    });
  });

  it('makes a series in a zone of its own', async () => {
    const given = { tool: 'Sample', when: '30 9 * * MON-FRI', timeZone: 'Asia/Shanghai', maxRuns: 5 };
    const { data } = await use(await app(), 'CreateSchedule', given);
    expect(data.schedule).toMatchObject({
      title: 'Sample',
      cron: '30 9 * * MON-FRI',
      timeZone: 'Asia/Shanghai',
      time: '2026-12-01T01:30:00.000Z',
    });
  });

  it.each<[string, JsonObject, string, string | null]>([
    ['a time that is none', { ...sample, when: 'soon' }, 'INVALID_ARGUMENT', 'when'],
    ['a time in the past', { ...sample, when: '2026-11-30-09:30' }, 'INVALID_ARGUMENT', 'when'],
    ['an unknown tool', { ...sample, tool: 'Nobody' }, 'INVALID_ARGUMENT', 'tool'],
    ['an unknown zone', { ...sample, timeZone: 'Mars/Olympus' }, 'INVALID_ARGUMENT', 'timeZone'],
    ['an end of a single time', { ...sample, maxRuns: 2 }, 'INVALID_ARGUMENT', 'maxRuns'],
  ])('refuses %s in words', async (_, given, code, target) => {
    const { status, error } = await use(await app(), 'CreateSchedule', given);
    expect([status, error?.code, error?.target]).toEqual(['error', code, target]);
  });

  it('makes no schedule of a tool that its caller may not use', async () => {
    const parts = await app();
    const result = await parts.runtime.execute({
      toolName: 'TaskScheduler',
      arguments: { command: 'CreateSchedule', ...sample },
      context: { source: 'ai-loop', owner: 'limited' },
    });
    expect(result.error).toMatchObject({ code: 'FORBIDDEN', message: 'this key may not use the tool "Sample"' });
  });

  it('makes none when it is called by a schedule itself', async () => {
    const parts = await app();
    const result = await parts.runtime.execute({
      toolName: 'TaskScheduler',
      arguments: { command: 'CreateSchedule', ...sample },
      context: { source: 'scheduler', owner: 'alice' },
    });
    expect(result.error).toMatchObject({ code: 'SCHEDULE.NESTED' });
  });

  it('lists the caller’s own, with what became of the last run', async () => {
    const parts = await app();
    const { data } = await use(parts, 'CreateSchedule', sample);
    await use(parts, 'CreateSchedule', sample, 'bob');
    const { scheduleId } = data.schedule;
    await parts.scheduleStore.advance({
      scheduleId,
      from: Date.parse(data.schedule.time!),
      nextAt: null,
      runs: [
        {
          id: parts.ids.next('scheduleRun'),
          scheduleId,
          dueAt: NOW,
          times: 1,
          state: 'missed',
          attempt: 0,
          isRepeatable: false,
          leaseUntil: null,
          serverId: null,
          resultId: null,
          status: null,
          errorCode: null,
          reason: 'nobody was there',
          startedAt: null,
          finishedAt: NOW,
        },
      ],
      at: NOW,
    });
    const listed = await use(parts, 'ListSchedules', {});
    expect(listed.data).toMatchObject({
      schedules: [{ scheduleId, state: 'ended', lastRun: { state: 'missed', reason: 'nobody was there' } }],
      nextCursor: null,
    });
    expect((await use(parts, 'ListSchedules', { state: 'active' })).data.schedules).toEqual([]);
    expect((await use(parts, 'ListSchedules', {}, 'operator')).data.schedules).toEqual([]);
    expect((await use(parts, 'ListSchedules', { cursor: 'x' })).error?.code).toBe('INVALID_ARGUMENT');
  });

  it('shows a model the list as times and titles', async () => {
    const parts = await app();
    await use(parts, 'CreateSchedule', { ...sample, label: 'Remind Ada' });
    const call = { tool: 'TaskScheduler', arguments: { command: 'ListSchedules' }, options: { view: 'ai' } };
    const { text } = (await (await parts.call(call)).json()) as { text: string };
    expect(text).toContain('Remind Ada');
    expect(text).toContain('2026-12-01T08:30:00.000Z');
  });

  it('cancels the caller’s own, again and again, and nobody else’s', async () => {
    const parts = await app();
    const { scheduleId } = (await use(parts, 'CreateSchedule', sample)).data.schedule;
    expect((await use(parts, 'CancelSchedule', { scheduleId }, 'bob')).error?.code).toBe('SCHEDULE.NOT_FOUND');
    for (let time = 0; time < 2; time += 1)
      expect((await use(parts, 'CancelSchedule', { scheduleId })).data.schedule).toMatchObject({
        state: 'cancelled',
        time: null,
      });
  });

  it('says so of one that has ended', async () => {
    const parts = await app();
    const { scheduleId, time } = (await use(parts, 'CreateSchedule', sample)).data.schedule;
    await parts.scheduleStore.advance({ scheduleId, from: Date.parse(time!), nextAt: null, runs: [], at: NOW });
    expect((await use(parts, 'CancelSchedule', { scheduleId })).error?.code).toBe('SCHEDULE.ENDED');
  });
});
