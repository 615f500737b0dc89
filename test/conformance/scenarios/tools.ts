import { expect, it, type TestContext } from 'vitest';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { RUNTIME_SKIPS } from '../../runtime-skips.ts';
import { success, type Caller } from '../target.ts';

type Schedule = { id: string; time: string; content: string };
type RecordPage = {
  records: { id: string; resultId: string; toolName: string; status: string }[];
  nextCursor: string | null;
};

const TIME = '2026-07-12T10:00:00+08:00';

/** §17.6, as far as it is built: (3) a person creates, reads and deletes; (10) what was called is read back. */
export const toolScenarios = ({ answer, call, request, getJson, view, isServed }: Caller): void => {
  const schedule = (command: string, args: Record<string, unknown> = {}) =>
    call('ScheduleManager', { command, ...args });
  const listed = async () => ((await schedule('ListSchedules')).data as { schedules: Schedule[] }).schedules;
  const needSchedules = async (context: TestContext) => {
    if (!(await isServed('ScheduleManager'))) context.skip(RUNTIME_SKIPS.processes.reason);
  };

  it('(3) lets a person add, list and delete a schedule', async (context) => {
    await needSchedules(context);
    const added = await schedule('AddSchedule', { time: TIME, content: '项目会议' });
    const created = (added.data as { schedule: Schedule }).schedule;
    expect(added).toMatchObject({
      status: 'success',
      data: { operation: 'created', schedule: { id: expect.stringMatching(/^sch_/), time: TIME, content: '项目会议' } },
      presentation: { preferredView: 'schedule-card' },
    });
    expect(await listed()).toContainEqual(created);
    expect(await schedule('DeleteSchedule', { id: created.id })).toMatchObject({
      data: { operation: 'deleted', schedule: created },
    });
    expect(await listed()).not.toContainEqual(created);
    const again = await schedule('DeleteSchedule', { id: created.id });
    expect(again).toMatchObject({
      status: 'error',
      data: null,
      error: { code: 'SCHEDULE.NOT_FOUND', category: 'domain', target: 'id' },
    });
  });

  it('(3) keeps every one of 12 schedules that are added at once', async (context) => {
    await needSchedules(context);
    const content = `at once ${crypto.randomUUID()}`;
    const results = await Promise.all(
      Array.from({ length: 12 }, () => schedule('AddSchedule', { time: TIME, content })),
    );
    const ids = new Set(results.map((result) => (result.data as { schedule: Schedule }).schedule.id));
    expect(ids.size).toBe(12);
    const kept = (await listed()).filter((one) => one.content === content);
    expect(new Set(kept.map(({ id }) => id))).toEqual(ids);
  });

  it('(3) answers a call that arguments rule out with a typed error that names the argument', async (context) => {
    await needSchedules(context);
    expect(await schedule('AddSchedule', { time: TIME })).toMatchObject({
      status: 'error',
      error: { code: 'MISSING_ARGUMENT', category: 'validation', target: 'content' },
    });
    expect(await schedule('AddShedule')).toMatchObject({
      error: { code: 'UNKNOWN_COMMAND', details: { suggestion: 'AddSchedule' } },
    });
  });

  it('(3) takes a TOOL_REQUEST block as another way to say the same', async (context) => {
    await needSchedules(context);
    const body = [
      '<<<[TOOL_REQUEST]>>>',
      'maid:「始」Nova「末」',
      'tool_name:「始」ScheduleManager「末」',
      'command:「始」ListSchedules「末」',
      '<<<[END_TOOL_REQUEST]>>>',
    ];
    const response = await request('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: body.join('\n'),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'success',
      tool: { command: 'ListSchedules' },
      actor: { name: 'Nova', maid: 'Nova' },
    });
  });

  it('answers a tool that does not exist with a result, not with an HTTP error', async () => {
    const result = await call('PayloadEco', {});
    expect(result).toMatchObject({
      status: 'error',
      tool: { name: 'PayloadEco', version: null },
      error: { code: 'TOOL_NOT_FOUND' },
    });
  });

  it('(10) reads a call back: its record, and the result under it', async () => {
    const result = await answer(success({ mark: 'read back' }));
    const record = await getJson(`/v1/records/${result.execution.recordId}`);
    expect(record).toMatchObject({
      id: result.execution.recordId,
      resultId: result.id,
      invocationId: result.execution.invocationId,
      requestId: result.execution.requestId,
      toolName: 'PayloadEcho',
      command: 'Answer',
      status: 'success',
      errorCode: null,
      source: 'human',
      startedAt: result.execution.startedAt,
      audit: { resultId: result.id, data: { mark: 'read back' } },
    });
    expect(await view<CanonicalToolResult>(result.id, 'canonical')).toEqual(result);
  });

  it('(10) records failures too, finds calls by tool and status, and pages newest first', async () => {
    const results: CanonicalToolResult[] = [];
    for (const note of ['one', 'two', 'three']) {
      results.push(await answer({ status: 'error', data: { note }, error: { code: 'ECHO.DECLARED', message: note } }));
    }
    await answer(success('in between'));
    const query = '/v1/records?tool=PayloadEcho&status=error&limit=2';
    const first = await getJson<RecordPage>(query);
    const second = await getJson<RecordPage>(`${query}&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    const found = [...first.records, ...second.records];
    expect(found.slice(0, 3).map(({ resultId }) => resultId)).toEqual(results.map(({ id }) => id).toReversed());
    expect(new Set(found.map(({ status, toolName }) => `${toolName} ${status}`))).toEqual(
      new Set(['PayloadEcho error']),
    );
  });

  it('(10) has no record of what never was', async () => {
    for (const path of ['/v1/records/tcr_00000000000000000000000000', '/v1/results/tr_00000000000000000000000000']) {
      const response = await request(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    }
  });
};
