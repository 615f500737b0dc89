// Scheduled calls on real servers: in time, once, across restarts, and by the rights of the moment.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { Schedule, ScheduleDetails, ScheduleRun } from '../../src/protocol/schedule.ts';
import { processesWith, until } from '../support/processes.ts';
import { startServerProcess, temporaryHome, vcp, writePlugin, type ServerProcess } from '../support/server-process.ts';

let home: ReturnType<typeof temporaryHome>;
let trusted: string;
let journal: string;
const servers: ServerProcess[] = [];

beforeEach(() => {
  home = temporaryHome();
  journal = join(home.root, 'journal.txt');
  // Writes a line for each call, so that what ran twice is seen.
  const moduleText = `import { appendFileSync } from 'node:fs';
export const processToolCall = ({ name }) => {
  appendFileSync(${JSON.stringify(journal)}, name + '\\n');
  return { status: 'success', data: { name } };
};
`;
  trusted = writePlugin(home.plugins, { name: 'Journal', module: 'journal.mjs', moduleText }).sha256!;
  writePlugin(home.plugins, { name: 'Sleeps', command: './run.sh', args: ['sleep 600 & sleep 600'] });
  writePlugin(home.plugins, { name: 'OneSecond', command: './run.sh', args: ['sleep 1; echo "$FRAME"'] });
  // Sleeps at its first call and answers at its second.
  writePlugin(home.plugins, {
    name: 'SecondTry',
    command: './run.sh',
    args: [`if mkdir ${join(home.root, 'tried')} 2>/dev/null; then sleep 600; fi; echo "$FRAME"`],
    commandMore: { idempotent: true },
  });
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.kill('SIGKILL');
    await server.exit;
  }
  home.remove();
});

const start = async (environment: Record<string, string> = {}): Promise<ServerProcess> => {
  const server = await startServerProcess(home, {
    VCP_TRUSTED_MODULES: trusted,
    VCP_TIMEZONE: 'UTC',
    VCP_LIMIT_SHORTEST_SCHEDULE_MS: '1000',
    VCP_LIMIT_SCHEDULE_LOOK_MS: '300',
    VCP_LIMIT_SCHEDULE_LEASE_MS: '1500',
    ...environment,
  });
  servers.push(server);
  return server;
};
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const schedule = async (server: ServerProcess, request: object, headers: Record<string, string> = {}) => {
  const response = await server.request('/v1/schedules', { method: 'POST', body: JSON.stringify(request), headers });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as Schedule;
};
const details = async (server: ServerProcess, { id }: Schedule) =>
  (await (await server.request(`/v1/schedules/${id}?limit=1000`)).json()) as ScheduleDetails;
const runs = async (server: ServerProcess, one: Schedule) => (await details(server, one)).runs;
const run = async (server: ServerProcess, one: Schedule, state: ScheduleRun['state']): Promise<ScheduleRun> => {
  let found: ScheduleRun | undefined;
  await until(
    `a run is ${state}`,
    async () => {
      found = (await runs(server, one)).find((each) => each.state === state);
      return found !== undefined;
    },
    15_000,
  );
  return found!;
};
/** Every due time that a row stands for, the earliest first; a machine that is held up may miss some of a second's series. */
const dueTimes = async (server: ServerProcess, one: Schedule): Promise<number[]> =>
  (await runs(server, one))
    .flatMap(({ dueAt, times }) => Array.from({ length: times }, (_, n) => Date.parse(dueAt) + n * 1_000))
    .toSorted((a, b) => a - b);
const written = () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []);
const isRunning = (tool: string) => processesWith(`${home.data}/plugins/${tool}`).length > 0;

describe('a scheduled call (§17.6, 5)', () => {
  it('runs in time, and leaves a result and a record like every call', async () => {
    const server = await start();
    const at = soon(1_200);
    const one = await schedule(server, { tool: 'Journal', arguments: { name: 'once' }, at, label: 'A test' });
    const done = await run(server, one, 'finished');
    expect(done).toMatchObject({ dueAt: at, status: 'success', attempt: 1, serverId: 'local' });
    expect(Date.parse(done.startedAt!) - Date.parse(at)).toBeGreaterThanOrEqual(0);
    expect(Date.parse(done.startedAt!) - Date.parse(at)).toBeLessThan(1_000);
    const result = (await (await server.request(`/v1/results/${done.resultId}`)).json()) as CanonicalToolResult;
    expect(result).toMatchObject({
      status: 'success',
      data: { name: 'once' },
      origin: { source: 'scheduler', requestIp: null },
      actor: { type: 'human', name: 'default' },
    });
    const record = await server.request(`/v1/records/${result.execution.recordId}`);
    expect(await record.json()).toMatchObject({ toolName: 'Journal', source: 'scheduler' });
    expect((await details(server, one)).schedule).toMatchObject({ state: 'ended', runCount: 1, nextRunAt: null });
  });

  it('repeats every second until its number of runs, each due time once', async () => {
    const server = await start();
    const request = { tool: 'Journal', arguments: { name: 'tick' }, cron: '* * * * * *', maxRuns: 3 };
    const one = await schedule(server, request);
    await until('it has ended', async () => (await details(server, one)).schedule.state === 'ended', 15_000);
    await until('all are done', async () => (await runs(server, one)).every(({ state }) => state !== 'running'));
    expect((await dueTimes(server, one)).every((time) => time % 1_000 === 0)).toBe(true);
    expect(written()).toEqual(['tick', 'tick', 'tick']);
    const metrics = await (await server.request('/metrics')).text();
    expect(metrics).toContain('vcp_schedule_runs_total{outcome="success"} 3');
  });

  it('is made by a model through the tool, for what its caller may use', async () => {
    const server = await start();
    const when = soon(1_000);
    const made = await server.call('TaskScheduler', {
      command: 'CreateSchedule',
      tool: 'Journal',
      arguments: { name: 'by tool' },
      when,
    });
    expect(made).toMatchObject({ status: 'success', data: { schedule: { tool: 'Journal', time: when } } });
    await until('it has run', () => written().includes('by tool'), 10_000);
    const listed = await server.call('TaskScheduler', { command: 'ListSchedules' });
    expect(listed.data).toMatchObject({ schedules: [{ state: 'ended', runCount: 1 }] });
  });
});

describe('two servers on one database', () => {
  it('run each of 20 due calls exactly once between them', async () => {
    const first = await start({ VCP_SERVER_ID: 'first' });
    const second = await start({ VCP_SERVER_ID: 'second' });
    const at = soon(2_000);
    const made: Schedule[] = [];
    for (let n = 0; n < 20; n += 1)
      made.push(
        await schedule(n % 2 === 0 ? first : second, { tool: 'Journal', arguments: { name: `call ${n}` }, at }),
      );
    const all: ScheduleRun[] = [];
    for (const one of made) all.push(await run(first, one, 'finished'));
    await sleep(1_000);
    expect(written().toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `call ${n}`).toSorted());
    expect(all.every(({ attempt, status }) => attempt === 1 && status === 'success')).toBe(true);
    for (const one of made) expect(await runs(second, one)).toHaveLength(1);
  }, 40_000);

  it('share a series without a gap and without a repetition', async () => {
    const first = await start({ VCP_SERVER_ID: 'first' });
    const second = await start({ VCP_SERVER_ID: 'second' });
    const request = { tool: 'Journal', arguments: { name: 'shared' }, cron: '* * * * * *', maxRuns: 6 };
    const one = await schedule(first, request);
    await until('it has ended', async () => (await details(second, one)).schedule.state === 'ended', 20_000);
    await sleep(1_500);
    const due = await dueTimes(second, one);
    expect(due.map((time) => (time - due[0]!) / 1_000)).toEqual(due.map((_, index) => index));
    expect(written()).toHaveLength(6);
  }, 40_000);
});

describe('a server that is killed while a scheduled call runs', () => {
  it('leaves a run that is told as interrupted and not made again; the series goes on', async () => {
    const before = await start({ VCP_SERVER_ID: 'before' });
    const one = await schedule(before, { tool: 'Sleeps', cron: '* * * * * *' });
    await until('it runs', () => isRunning('Sleeps'), 10_000);
    const [{ id }] = (await runs(before, one)).filter(({ state }) => state === 'running') as [ScheduleRun];
    before.kill('SIGKILL');
    await before.exit;
    const after = await start({ VCP_SERVER_ID: 'after' });
    const cut = await run(after, one, 'interrupted');
    expect(cut).toMatchObject({
      id,
      attempt: 1,
      resultId: null,
      reason: 'its server (before) stopped while it ran; the tool may have acted',
    });
    expect((await run(after, one, 'running')).serverId).toBe('after');
    expect(after.stderr()).toContain('"event":"schedule.interrupted"');
  }, 40_000);

  it('leaves one that is made again where the command is idempotent', async () => {
    const before = await start({ VCP_SERVER_ID: 'before' });
    const one = await schedule(before, { tool: 'SecondTry', at: soon(500) });
    await until('it runs', () => existsSync(join(home.root, 'tried')), 10_000);
    before.kill('SIGKILL');
    await before.exit;
    const after = await start({ VCP_SERVER_ID: 'after' });
    expect(await run(after, one, 'finished')).toMatchObject({ status: 'success', attempt: 2, serverId: 'after' });
    expect(await runs(after, one)).toHaveLength(1);
  }, 40_000);

  it('is stood in for by the other one that shares its database', async () => {
    const first = await start({ VCP_SERVER_ID: 'first' });
    const one = await schedule(first, { tool: 'SecondTry', at: soon(500) });
    await until('it runs', () => existsSync(join(home.root, 'tried')), 10_000);
    const second = await start({ VCP_SERVER_ID: 'second' });
    await sleep(2_500);
    expect(await runs(second, one)).toMatchObject([{ state: 'running', attempt: 1, serverId: 'first' }]);
    first.kill('SIGKILL');
    await first.exit;
    expect(await run(second, one, 'finished')).toMatchObject({ attempt: 2, serverId: 'second' });
  }, 40_000);
});

describe('a server that was down', () => {
  it('notes what it has missed, makes up for single times, and goes on', async () => {
    const limits = { VCP_LIMIT_SCHEDULE_LATE_MS: '500' };
    const before = await start(limits);
    const series = await schedule(before, {
      tool: 'Journal',
      arguments: { name: 'series' },
      cron: '* * * * * *',
      startAt: soon(3_000),
    });
    const single = await schedule(before, { tool: 'Journal', arguments: { name: 'single' }, at: soon(3_000) });
    const strict = await schedule(before, {
      tool: 'Journal',
      arguments: { name: 'strict' },
      at: soon(3_000),
      missed: 'skip',
    });
    before.kill('SIGTERM');
    expect(await before.exit).toEqual({ code: 0, signal: null });
    await sleep(Math.max(0, Date.parse(single.at!) + 2_500 - Date.now()));
    const after = await start(limits);
    const missed = await run(after, series, 'missed');
    expect(missed.times).toBeGreaterThanOrEqual(2);
    expect(missed).toMatchObject({ resultId: null, attempt: 0, serverId: null });
    await run(after, series, 'finished');
    expect(await run(after, single, 'finished')).toMatchObject({ dueAt: single.at, status: 'success' });
    expect(await run(after, strict, 'missed')).toMatchObject({ times: 1 });
    expect((await details(after, strict)).schedule.state).toBe('ended');
    expect(written()).toContain('single');
    expect(written()).not.toContain('strict');
  }, 40_000);
});

describe('a server that is stopped', () => {
  it('lets a scheduled call end, and notes it, before it goes', async () => {
    const server = await start();
    const one = await schedule(server, { tool: 'OneSecond', at: soon(500) });
    await until('it runs', () => isRunning('OneSecond'), 10_000);
    server.kill('SIGTERM');
    expect(await server.exit).toEqual({ code: 0, signal: null });
    const after = await start();
    expect(await runs(after, one)).toMatchObject([{ state: 'finished', status: 'success', attempt: 1 }]);
  }, 40_000);

  it('cancels one that takes longer than it may, with a result that says so', async () => {
    const server = await start({ VCP_SHUTDOWN_MS: '300' });
    const one = await schedule(server, { tool: 'Sleeps', at: soon(500) });
    await until('it runs', () => isRunning('Sleeps'), 10_000);
    server.kill('SIGTERM');
    expect(await server.exit).toEqual({ code: 0, signal: null });
    const after = await start();
    expect(await runs(after, one)).toMatchObject([
      { state: 'finished', status: 'cancelled', errorCode: 'TOOL_CANCELLED' },
    ]);
  }, 40_000);
});

describe('the key that a schedule was made with', () => {
  it('is asked again at each run: revoked, its runs fail and say so', async () => {
    const server = await start();
    const { stdout } = await vcp(home, ['keys', 'new', '--name', 'ci', '--role', 'workflow']);
    const authorization = `Bearer ${stdout.trim()}`;
    const request = { tool: 'Journal', arguments: { name: 'ci' }, cron: '* * * * * *' };
    const one = await schedule(server, request, { authorization });
    expect((await run(server, one, 'finished')).status).toBe('success');
    expect((await vcp(home, ['keys', 'revoke', 'ci'])).code).toBe(0);
    let refused: ScheduleRun | undefined;
    await until(
      'a run is refused',
      async () => {
        refused = (await runs(server, one)).find(({ errorCode }) => errorCode === 'FORBIDDEN');
        return refused !== undefined;
      },
      10_000,
    );
    const result = (await (await server.request(`/v1/results/${refused!.resultId}`)).json()) as CanonicalToolResult;
    expect(result.error).toMatchObject({ message: 'the key that this was made with has been revoked' });
    expect((await server.request(`/v1/schedules/${one.id}`, { method: 'DELETE' })).status).toBe(200);
  }, 40_000);
});

describe('vcp schedules', () => {
  it('adds, lists, shows and cancels', async () => {
    const server = await start();
    const cli = (...args: string[]) =>
      vcp(home, ['schedules', ...args], { VCP_URL: server.url, VCP_API_KEY: server.key });
    const added = await cli('add', 'Journal', '--at', '1s', '--json', '{"name":"by hand"}', '--label', 'a label');
    expect({ code: added.code, stderr: added.stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^vcp: the next run is due at \d{4}-/) as string,
    });
    const id = added.stdout.trim();
    await until('it has run', () => written().includes('by hand'), 10_000);
    const cron = await cli('add', 'Journal', '--cron', '0 9 * * *', '--json', '{"name":"x"}', '--max-runs', '3');
    const listed = (await cli()).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Schedule);
    expect(listed.map((one) => [one.id, one.state])).toEqual([
      [cron.stdout.trim(), 'active'],
      [id, 'ended'],
    ]);
    const shown = JSON.parse((await cli('show', id)).stdout) as ScheduleDetails;
    expect(shown).toMatchObject({ schedule: { id, label: 'a label' }, runs: [{ state: 'finished' }] });
    expect(await cli('cancel', cron.stdout.trim())).toMatchObject({
      code: 0,
      stderr: `vcp: ${cron.stdout.trim()} is cancelled\n`,
    });
    expect((await cli('list', '--state', 'cancelled')).stdout).toContain(cron.stdout.trim());
    expect(await cli('cancel', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has ended already') as string,
    });
    const byArgument = await cli('add', 'Journal', '--at', '1h', '--arg', 'name=by arg');
    expect(JSON.parse((await cli('show', byArgument.stdout.trim())).stdout)).toMatchObject({
      schedule: { arguments: { name: 'by arg' } },
    });
    expect(await cli('add', 'Journal', '--at', '1h', '--arg', 'name=x', '--json', '{}')).toMatchObject({
      code: 2,
      stderr: 'vcp: give arguments by --arg or by --json, not both\n',
    });
    expect(await cli('add', 'Journal')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say when: --at or --cron') as string,
    });
    expect(await cli('add', 'Nobody', '--at', '1h')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no tool "Nobody"') as string,
    });
  }, 60_000);
});
