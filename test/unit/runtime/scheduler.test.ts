import { describe, expect, it } from 'vitest';
import { createMemoryScheduleStore } from '../../../adapters/memory/memory-schedule-store.ts';
import type { ScheduleStore } from '../../../src/ports/schedule-store.ts';
import { success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';
import { createScheduledRuntime, NOON, type ScheduledRuntime } from '../../support/scheduling.ts';

const MINUTE = 60_000;
const at = (ms: number) => new Date(NOON + ms).toISOString();
const statesOf = async (parts: ScheduledRuntime, schedule: { id: string }) =>
  (await parts.runsOf(schedule as never)).map(({ state, dueAt }) => `${state} ${dueAt.slice(11, 19)}`).toReversed();

/** An answer that a test gives when it wants to. */
const withheld = () => {
  const waiting: (() => void)[] = [];
  return {
    answer: () => new Promise((resolve) => waiting.push(() => resolve(success({ done: true })))),
    release: () => waiting.splice(0).forEach((give) => give()),
    count: () => waiting.length,
  };
};

describe('the scheduler', () => {
  it('makes a call once at its time, as a call of the scheduler for the owner and the actor', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const schedule = await parts.schedule({ at: at(90_000), arguments: { n: 1 }, label: 'later' });
    await parts.time.pass(89_000);
    expect(parts.delivered).toEqual([]);
    await parts.time.pass(1_000);
    expect(parts.delivered).toMatchObject([
      { arguments: { n: 1 }, source: 'scheduler', owner: 'alice', actor: { name: 'Nova', maid: 'Nova' } },
    ]);
    const [run] = await parts.runsOf(schedule);
    expect(run).toMatchObject({ state: 'finished', status: 'success', attempt: 1, serverId: 'one', dueAt: at(90_000) });
    const stored = await parts.calls.getResult(run!.resultId!);
    expect(stored).toMatchObject({ owner: 'alice', result: { origin: { source: 'scheduler' }, status: 'success' } });
    expect(await parts.stateOf(schedule)).toMatchObject({ state: 'ended', nextRunAt: null, runCount: 1 });
    expect(parts.told()).toEqual(['created 12:01:30', 'started 12:01:30', 'finished 12:01:30', 'ended -']);
    await parts.time.pass(60 * MINUTE);
    expect(parts.delivered).toHaveLength(1);
    expect(parts.metrics.counts.get('vcp_schedule_runs_total{outcome="success"}')).toBe(1);
  });

  it('keeps a model from having done later what a rule keeps it from doing now', async () => {
    const reason = 'models delete nothing';
    const rules = [
      { tools: ['Sample'], sources: ['ai-loop' as const], effect: 'reject' as const, reason, overrideManifest: false },
    ];
    const parts = createScheduledRuntime({ approvalRules: () => rules, builtIn: true });
    await parts.plugins.reload();
    parts.scheduler.start();
    const asked = await parts.runtime.execute({
      toolName: 'TaskScheduler',
      arguments: { command: 'CreateSchedule', tool: 'Sample', when: at(1_000) },
      context: { source: 'ai-loop', owner: 'alice' },
    });
    expect(asked.status).toBe('success');
    await parts.schedule({ at: at(1_000) }, 'bob', 'human');
    await parts.time.pass(1_000);
    expect(parts.delivered.map(({ owner }) => owner)).toEqual(['bob']);
    const [schedule] = (await parts.schedules.list({ owner: 'alice', limit: 1 })).schedules;
    expect(await parts.runsOf(schedule!)).toMatchObject([{ status: 'error', errorCode: 'APPROVAL_REJECTED' }]);
  });

  it('keeps no place for a call that waits for its approval', async () => {
    const parts = createScheduledRuntime({
      manifests: [manifest({}, { approval: true }), manifest({ name: 'Free' })],
      limits: { scheduledRuns: 1 },
    });
    parts.scheduler.start();
    const guarded = await parts.schedule({ at: at(1_000) });
    const free = await parts.schedule({ tool: 'Free', at: at(1_000) });
    await parts.time.pass(1_000);
    await expect.poll(() => statesOf(parts, free)).toEqual(['finished 12:00:01']);
    expect(parts.delivered).toMatchObject([{ plugin: { manifest: { name: 'Free' } } }]);
    const [run] = await parts.runsOf(guarded);
    expect(run).toMatchObject({ state: 'finished', status: 'accepted' });
    const { approvals } = await parts.approvals.list({ owner: 'alice', limit: 2 });
    expect(approvals).toMatchObject([
      { state: 'pending', source: 'scheduler', taskId: expect.stringMatching(/^task_/) },
    ]);
  });

  it('tells the owner with the ids of the call', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(1_000);
    const [run] = await parts.runsOf(schedule);
    expect(parts.emitted.filter(({ type }) => type === 'schedule')[2]).toMatchObject({
      type: 'schedule',
      scheduleId: schedule.id,
      toolName: 'Sample',
      resultId: run!.resultId,
      recordId: expect.stringMatching(/^tcr_/) as string,
      data: { state: 'finished', status: 'success' },
      audience: { to: 'owner', owner: 'alice' },
    });
  });

  it('repeats by cron until its number of runs is reached', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *', maxRuns: 3 });
    await parts.time.pass(60 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:05:00', 'finished 12:10:00', 'finished 12:15:00']);
    expect(await parts.stateOf(schedule)).toMatchObject({ state: 'ended', runCount: 3 });
    expect(parts.told().at(-1)).toBe('ended -');
  });

  it('ends with its last due time', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *', endAt: at(12 * MINUTE) });
    await parts.time.pass(60 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:05:00', 'finished 12:10:00']);
    expect(await parts.stateOf(schedule)).toMatchObject({ state: 'ended' });
  });

  it('notes a failure of the tool as the result that it is, and goes on', async () => {
    const failing = { status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no' } };
    const parts = createScheduledRuntime({ answer: () => failing });
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    await parts.time.pass(10 * MINUTE);
    expect(await parts.runsOf(schedule)).toMatchObject([
      { state: 'finished', status: 'error', errorCode: 'SAMPLE.NO' },
      { state: 'finished', status: 'error', errorCode: 'SAMPLE.NO' },
    ]);
  });

  it('has one timer while it waits, never for longer than until its next look', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    await parts.schedule({ at: new Date(NOON + 400 * 24 * 60 * MINUTE).toISOString() });
    await parts.schedule({ at: at(12_000) });
    await parts.time.pass(0);
    expect(parts.time.waits()).toEqual([5_000]);
    await parts.time.pass(10_000);
    expect(parts.time.waits()).toEqual([2_000]);
  });

  it('finds what another server has made', async () => {
    const parts = createScheduledRuntime();
    const other = parts.another();
    other.start();
    await parts.time.pass(0);
    const schedule = await parts.schedule({ at: at(6_000) });
    await parts.time.pass(6_000);
    expect(await parts.runsOf(schedule)).toMatchObject([{ state: 'finished', serverId: 'two' }]);
  });

  it('runs no due time twice where several servers look at the same moment', async () => {
    const parts = createScheduledRuntime();
    for (const scheduler of [parts.scheduler, parts.another(), parts.another({ serverId: 'three' })]) scheduler.start();
    const schedules = [];
    for (let n = 0; n < 10; n += 1) schedules.push(await parts.schedule({ cron: '*/5 * * * *', arguments: { n } }));
    await parts.time.pass(15 * MINUTE);
    expect(parts.delivered).toHaveLength(30);
    for (const schedule of schedules)
      expect(await statesOf(parts, schedule)).toEqual(['finished 12:05:00', 'finished 12:10:00', 'finished 12:15:00']);
  });
});

describe('times that pass without a run', () => {
  it('are one note, and no run, of a series', async () => {
    const parts = createScheduledRuntime();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    await parts.time.pass(13 * MINUTE);
    parts.scheduler.start();
    await parts.time.pass(2 * MINUTE);
    expect(await parts.runsOf(schedule)).toMatchObject([
      { state: 'finished', dueAt: at(15 * MINUTE) },
      {
        state: 'missed',
        dueAt: at(5 * MINUTE),
        times: 2,
        attempt: 0,
        reason: '2 times passed before any server could run them',
      },
    ]);
    expect(parts.told()).toContain('missed 12:05:00');
    expect(parts.metrics.counts.get('vcp_schedule_runs_total{outcome="missed"}')).toBe(2);
    expect(await parts.stateOf(schedule)).toMatchObject({ runCount: 1 });
  });

  it('are one run where that is wished', async () => {
    const parts = createScheduledRuntime();
    const schedule = await parts.schedule({ cron: '*/5 * * * *', missed: 'once' });
    await parts.time.pass(13 * MINUTE);
    parts.scheduler.start();
    await parts.time.pass(0);
    expect(await statesOf(parts, schedule)).toEqual(['missed 12:05:00', 'finished 12:10:00']);
  });

  it('are made up for where it was a single time, unless that is not wished', async () => {
    const parts = createScheduledRuntime();
    const usual = await parts.schedule({ at: at(MINUTE) });
    const strict = await parts.schedule({ at: at(MINUTE), missed: 'skip' });
    await parts.time.pass(60 * MINUTE);
    parts.scheduler.start();
    await parts.time.pass(0);
    expect(await statesOf(parts, usual)).toEqual(['finished 12:01:00']);
    expect(await statesOf(parts, strict)).toEqual(['missed 12:01:00']);
    expect(await parts.stateOf(strict)).toMatchObject({ state: 'ended', runCount: 0 });
  });
});

describe('a clock that is set', () => {
  it('forward makes what it leaps over late, by the same rules', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const series = await parts.schedule({ cron: '*/5 * * * *' });
    const single = await parts.schedule({ at: at(20 * MINUTE) });
    await parts.time.pass(5 * MINUTE);
    parts.time.set(NOON + 33 * MINUTE);
    await parts.time.pass(5_000);
    expect(await statesOf(parts, series)).toEqual(['finished 12:05:00', 'missed 12:10:00']);
    expect(await statesOf(parts, single)).toEqual(['finished 12:20:00']);
  });

  it('back repeats nothing', async () => {
    const parts = createScheduledRuntime();
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    await parts.time.pass(11 * MINUTE);
    parts.time.set(NOON + 3 * MINUTE);
    await parts.time.pass(11 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:05:00', 'finished 12:10:00']);
    await parts.time.pass(MINUTE);
    expect((await statesOf(parts, schedule)).at(-1)).toBe('finished 12:15:00');
  });
});

describe('a run that takes long', () => {
  it('lets the next ones out, which is told', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    await parts.time.pass(10 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['running 12:05:00', 'skipped 12:10:00']);
    expect((await parts.runsOf(schedule))[0]!.reason).toBe(
      'the run that was due at 2026-11-30T12:05:00.000Z still goes on',
    );
    expect(parts.told().at(-1)).toBe('missed 12:10:00');
    tool.release();
    await parts.time.pass(5 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:05:00', 'skipped 12:10:00', 'running 12:15:00']);
    tool.release();
  });

  it('has others beside it where that is wished', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *', overlap: 'run' });
    await parts.time.pass(10 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['running 12:05:00', 'running 12:10:00']);
    tool.release();
    await parts.time.pass(0);
  });

  it('leaves no place for more than may run at once; they come when it ends', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer, limits: { scheduledRuns: 2 } });
    parts.scheduler.start();
    for (let n = 0; n < 3; n += 1) await parts.schedule({ at: at(1_000), arguments: { n } });
    await parts.time.pass(20_000);
    expect([parts.scheduler.running(), tool.count()]).toEqual([2, 2]);
    tool.release();
    await parts.time.pass(20);
    expect(parts.delivered).toHaveLength(3);
    tool.release();
    await parts.time.pass(0);
    expect(parts.scheduler.running()).toBe(0);
  });

  it('is kept alive by its server', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    parts.scheduler.start();
    parts.another().start();
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(50_000);
    expect(await statesOf(parts, schedule)).toEqual(['running 12:00:01']);
    tool.release();
    await parts.time.pass(0);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:00:01']);
  });
});

describe('a run whose server dies', () => {
  /** A server that takes a run and is never heard of again. */
  const cutOff = async (command: Record<string, unknown>, request: object) => {
    const parts = createScheduledRuntime({ manifests: [manifest({}, command)] });
    const dead = parts.another({
      runtime: { execute: () => new Promise(() => undefined) },
      timers: { after: () => () => undefined },
      serverId: 'dead',
    });
    const schedule = await parts.schedule(request);
    await parts.time.pass(5 * MINUTE);
    dead.start();
    await parts.time.pass(0);
    expect(await statesOf(parts, schedule)).toEqual(['running 12:05:00']);
    parts.scheduler.start();
    return { parts, schedule };
  };

  it('is told as interrupted and not repeated; the schedule goes on', async () => {
    const { parts, schedule } = await cutOff({}, { cron: '*/5 * * * *' });
    await parts.time.pass(14_000);
    expect(await statesOf(parts, schedule)).toEqual(['running 12:05:00']);
    await parts.time.pass(6_000);
    expect(await parts.runsOf(schedule)).toMatchObject([
      {
        state: 'interrupted',
        attempt: 1,
        resultId: null,
        reason: 'its server (dead) stopped while it ran; the tool may have acted',
      },
    ]);
    expect(parts.told()).toContain('interrupted 12:05:00');
    await parts.time.pass(5 * MINUTE);
    expect(parts.delivered).toHaveLength(1);
    expect(await statesOf(parts, schedule)).toEqual(['interrupted 12:05:00', 'finished 12:10:00']);
    expect(parts.metrics.counts.get('vcp_schedule_runs_total{outcome="interrupted"}')).toBe(1);
  });

  it('is made again where the command is idempotent', async () => {
    const { parts, schedule } = await cutOff({ idempotent: true }, { at: at(5 * MINUTE) });
    await parts.time.pass(20_000);
    expect(await parts.runsOf(schedule)).toMatchObject([{ state: 'finished', attempt: 2, serverId: 'one' }]);
    expect(parts.delivered).toHaveLength(1);
    expect(parts.told().slice(-3)).toEqual(['started 12:05:00', 'finished 12:05:00', 'ended -']);
  });

  it('is not made again for ever', async () => {
    const parts = createScheduledRuntime({ manifests: [manifest({}, { idempotent: true })] });
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(1_000);
    for (let death = 1; death <= 4; death += 1) {
      parts
        .another({
          runtime: { execute: () => new Promise(() => undefined) },
          timers: { after: () => () => undefined },
          serverId: `dead ${death}`,
        })
        .start();
      await parts.time.pass(20_000);
    }
    expect(await parts.runsOf(schedule)).toMatchObject([{ state: 'interrupted', attempt: 3, serverId: 'dead 3' }]);
  });

  it('is not made again when its schedule was cancelled', async () => {
    const { parts, schedule } = await cutOff({ idempotent: true }, { cron: '*/5 * * * *' });
    await parts.schedules.cancel(schedule.id);
    await parts.time.pass(20_000);
    expect(await statesOf(parts, schedule)).toEqual(['interrupted 12:05:00']);
  });
});

describe('the rights of a scheduled call', () => {
  it.each([
    ['the key has been revoked', 'the key that this was made with has been revoked'],
    ['its tool was taken away', 'this key may not use the tool "Sample"'],
  ])('are those of then: %s', async (_, words) => {
    let refusal: string | null = null;
    const rights = { refusalOf: () => refusal, maySee: () => false };
    const parts = createScheduledRuntime({ rights });
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    refusal = words;
    await parts.time.pass(5 * MINUTE);
    expect(parts.delivered).toEqual([]);
    const [run] = await parts.runsOf(schedule);
    expect(run).toMatchObject({ state: 'finished', status: 'error', errorCode: 'FORBIDDEN' });
    const stored = await parts.calls.getResult(run!.resultId!);
    expect(stored!.result.error).toMatchObject({ code: 'FORBIDDEN', message: words });
    refusal = null;
    await parts.time.pass(5 * MINUTE);
    expect(parts.delivered).toHaveLength(1);
  });
});

describe('a scheduler that stops', () => {
  it('begins nothing more, and is idle when what runs has been noted', async () => {
    const tool = withheld();
    const parts = createScheduledRuntime({ answer: tool.answer });
    parts.scheduler.start();
    const running = await parts.schedule({ at: at(1_000) });
    const later = await parts.schedule({ at: at(30_000) });
    await parts.time.pass(1_000);
    await parts.scheduler.stop();
    let isIdle = false;
    const idle = parts.scheduler.idle().then(() => (isIdle = true));
    await parts.time.pass(60_000);
    expect(isIdle).toBe(false);
    tool.release();
    await idle;
    expect(await statesOf(parts, running)).toEqual(['finished 12:00:01']);
    expect(await statesOf(parts, later)).toEqual([]);
    expect(parts.time.waits()).toEqual([]);
  });
});

describe('limits that are set high', () => {
  it('make no timer longer than a runtime takes', async () => {
    const parts = createScheduledRuntime({ limits: { scheduleLookMs: 2 ** 40, scheduleLeaseMs: 2 ** 40 } });
    parts.scheduler.start();
    await parts.time.pass(0);
    expect(parts.time.waits()).toEqual([2_147_483_647]);
  });
});

describe('a store that fails', () => {
  const failing = (fails: (name: keyof ScheduleStore) => boolean): ScheduleStore =>
    new Proxy(createMemoryScheduleStore(), {
      get: (store, name: keyof ScheduleStore) =>
        fails(name) ? () => Promise.reject(new Error('the disk is full')) : store[name],
    });

  it('is looked at again', async () => {
    const parts = createScheduledRuntime();
    let isBroken = true;
    const broken = new Proxy(parts.scheduleStore, {
      get: (store, name: keyof ScheduleStore) =>
        isBroken && name === 'due' ? () => Promise.reject(new Error('the disk is full')) : store[name],
    });
    parts.another({ schedules: broken }).start();
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(20_000);
    expect(await parts.runsOf(schedule)).toEqual([]);
    expect(parts.logged.some(({ event }) => event === 'schedule.not-looked')).toBe(true);
    isBroken = false;
    await parts.time.pass(5_000);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:00:01']);
  });

  it('is told the end of a run again, and the call is not made again', async () => {
    const parts = createScheduledRuntime();
    let failures = 3;
    const broken = new Proxy(parts.scheduleStore, {
      get: (store, name: keyof ScheduleStore) =>
        name === 'finish' && (failures -= 1) >= 0 ? () => Promise.reject(new Error('the disk is full')) : store[name],
    });
    parts.another({ schedules: broken }).start();
    const schedule = await parts.schedule({ at: at(1_000) });
    await parts.time.pass(30_000);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:00:01']);
    expect(parts.delivered).toHaveLength(1);
  });

  it('takes nothing down with it at the start', async () => {
    const parts = createScheduledRuntime();
    parts.another({ schedules: failing(() => true) }).start();
    await parts.time.pass(60_000);
    expect(parts.logged.filter(({ event }) => event === 'schedule.not-looked').length).toBeGreaterThan(5);
  });
});

describe('what is kept', () => {
  it('are so many runs of a schedule', async () => {
    const parts = createScheduledRuntime({ limits: { scheduleRunsKept: 3 } });
    parts.scheduler.start();
    const schedule = await parts.schedule({ cron: '*/5 * * * *' });
    await parts.time.pass(50 * MINUTE);
    expect(await statesOf(parts, schedule)).toEqual(['finished 12:40:00', 'finished 12:45:00', 'finished 12:50:00']);
    expect(await parts.stateOf(schedule)).toMatchObject({ runCount: 10 });
  });

  it('are ended schedules for their time', async () => {
    const parts = createScheduledRuntime({ limits: { retainSchedulesMs: 30 * MINUTE } });
    parts.scheduler.start();
    const schedule = await parts.schedule({ at: at(1_000) });
    const other = await parts.schedule({ cron: '0 0 1 1 *' });
    await parts.time.pass(29 * MINUTE);
    expect(await parts.stateOf(schedule)).not.toBeNull();
    await parts.time.pass(12 * MINUTE);
    expect(await parts.stateOf(schedule)).toBeNull();
    expect(await parts.stateOf(other)).not.toBeNull();
  });
});
