import { describe, expect, it } from 'vitest';
import { isTaskTransition, Task, TERMINAL_TASK_STATES, type TaskState } from '../../../src/protocol/task.ts';
import { Callback } from '../../../src/protocol/callback.ts';
import { issuesOf } from '../../../src/lib/issue.ts';
import { TASK, ULID } from '../../support/sample-values.ts';

const STATES: TaskState[] = ['created', 'queued', 'running', 'completed', 'failed', 'cancelled', 'timed_out'];

// §10.4 and the design: from left to right only, out of a terminal state never.
const ALLOWED = new Set([
  'created>queued',
  'created>running',
  'created>failed',
  'created>cancelled',
  'created>timed_out',
  'queued>running',
  'queued>completed',
  'queued>failed',
  'queued>cancelled',
  'queued>timed_out',
  'running>completed',
  'running>failed',
  'running>cancelled',
  'running>timed_out',
]);

describe('task transitions', () => {
  it.each(STATES.flatMap((from) => STATES.map((to) => ({ from, to, allowed: ALLOWED.has(`${from}>${to}`) }))))(
    'from $from to $to: $allowed',
    ({ from, to, allowed }) => {
      expect(isTaskTransition(from, to)).toBe(allowed);
    },
  );

  it('end in exactly four states', () => {
    expect([...TERMINAL_TASK_STATES].toSorted()).toEqual(['cancelled', 'completed', 'failed', 'timed_out']);
  });
});

describe('a task', () => {
  it.each([0, 0.4, 1, null])('may have the progress %s', (progress) => {
    expect(Task.safeParse({ ...TASK, progress }).success).toBe(true);
  });

  it.each([-0.1, 1.1, 40, '0.4'])('may not have the progress %s', (progress) => {
    expect(Task.safeParse({ ...TASK, progress }).success).toBe(false);
  });

  it.each([{ state: 'done' }, { pollAfterMs: -1 }, { pollAfterMs: 1.5 }, { id: 'task_1' }])('refuses %j', (fields) => {
    expect(Task.safeParse({ ...TASK, ...fields }).success).toBe(false);
  });
});

describe('a callback', () => {
  const protocol = { name: 'vcp.tool-result-callback', version: '1.0' };
  const taskId = `task_${ULID}`;
  const result = { status: 'success', data: {} };
  const progress = { progress: 0.5 };

  it('carries a result or progress', () => {
    expect(Callback.safeParse({ protocol, taskId, result }).success).toBe(true);
    expect(Callback.safeParse({ protocol, taskId, progress }).success).toBe(true);
  });

  it('never carries both, or neither', () => {
    expect(Callback.safeParse({ protocol, taskId, result, progress }).success).toBe(false);
    expect(Callback.safeParse({ protocol, taskId }).success).toBe(false);
  });

  it.each([
    { name: 'vcp.tool-result', version: '1.0' },
    { name: 'vcp.tool-result-callback', version: '2.0' },
    undefined,
  ])('refuses the protocol %j', (other) => {
    expect(Callback.safeParse({ protocol: other, taskId, result }).success).toBe(false);
  });

  it('points into the result when that is at fault', () => {
    const parsed = Callback.safeParse({ protocol, taskId, result: { status: 'error', data: null } });
    expect(parsed.success ? [] : issuesOf(parsed.error).map((issue) => issue.pointer)).toEqual(['/result/error']);
  });
});
