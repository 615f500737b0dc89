import { describe, expect, it } from 'vitest';
import { TaskState } from '../../../src/protocol/task.ts';
import { endOfTask, nextTaskState, statesBefore } from '../../../src/task/task-state.ts';

describe('the states of a task', () => {
  it('lead on only, and end once', () => {
    const steps = TaskState.options.map((from) => [
      from,
      TaskState.options.filter((to) => nextTaskState(from, to) !== null).join(' '),
    ]);
    expect(Object.fromEntries(steps)).toEqual({
      created: 'created queued running completed failed cancelled timed_out',
      queued: 'queued running completed failed cancelled timed_out',
      running: 'running completed failed cancelled timed_out',
      completed: '',
      failed: '',
      cancelled: '',
      timed_out: '',
    });
  });

  it('say from where each is reached', () => {
    expect(statesBefore('created')).toEqual(['created']);
    expect(statesBefore('running')).toEqual(['created', 'queued', 'running']);
    expect(statesBefore('completed')).toEqual(['created', 'queued', 'running']);
  });

  it('follow from how the result is', () => {
    expect(
      (['success', 'partial', 'error', 'cancelled', 'timeout', 'accepted'] as const).map((status) => endOfTask(status)),
    ).toEqual(['completed', 'completed', 'failed', 'cancelled', 'timed_out', null]);
  });
});
