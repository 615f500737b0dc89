import { z } from 'zod';
import { TaskId } from './ids.ts';

export const TaskState = z.enum(['created', 'queued', 'running', 'completed', 'failed', 'cancelled', 'timed_out']);
export type TaskState = z.infer<typeof TaskState>;

/**
 * §10.4, with what the design adds: a terminal callback implies `running`, and a start that fails ends `created`.
 * Nothing leads back, and nothing leads out of a terminal state.
 */
export const TASK_TRANSITIONS = {
  created: ['queued', 'running', 'failed', 'cancelled', 'timed_out'],
  queued: ['running', 'completed', 'failed', 'cancelled', 'timed_out'],
  running: ['completed', 'failed', 'cancelled', 'timed_out'],
  completed: [],
  failed: [],
  cancelled: [],
  timed_out: [],
} as const satisfies Record<TaskState, readonly TaskState[]>;

export const TERMINAL_TASK_STATES: ReadonlySet<TaskState> = new Set(
  TaskState.options.filter((state) => TASK_TRANSITIONS[state].length === 0),
);

export const isTaskTransition = (from: TaskState, to: TaskState): boolean =>
  (TASK_TRANSITIONS[from] as readonly TaskState[]).includes(to);

/** Progress from 0 to 1. */
export const Progress = z.number().min(0).max(1);

const taskFields = {
  id: TaskId,
  progress: Progress.nullable().default(null),
  pollAfterMs: z.int().nonnegative().nullable().default(null),
  placeholder: z.string().max(512).nullable().default(null),
};

/** A task in one of the given states, as a payload or a canonical result carries it (§5.2). */
export const taskIn = <const States extends readonly [TaskState, ...TaskState[]]>(...states: States) =>
  z.strictObject({
    id: taskFields.id,
    state: z.enum(states),
    progress: taskFields.progress,
    pollAfterMs: taskFields.pollAfterMs,
    placeholder: taskFields.placeholder,
  });

export const Task = taskIn(...(TaskState.options as [TaskState, ...TaskState[]])).meta({
  id: 'task',
  title: 'Task',
  description: 'An asynchronous task (§5.2, §10.4).',
});
export type Task = z.infer<typeof Task>;
