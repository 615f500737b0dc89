import { sleep } from '../lib/sleep.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { TaskDescription, TaskListing } from '../protocol/task-listing.ts';
import type { TaskState } from '../protocol/task.ts';
import { VcpProblem, VcpUnreachable } from './client-errors.ts';
import { isEventStream, type Cancellable, type HttpConnection } from './http-connection.ts';
import { eventData, readEventStream } from './read-event-stream.ts';
import { searchOf } from './search-of.ts';
import { TERMINAL_STATES } from './terminal-states.ts';

/** Which tasks: `cursor` is the `nextCursor` of the page before. */
export type TasksQuery = {
  readonly tool?: string;
  readonly state?: TaskState;
  readonly limit?: number;
  readonly cursor?: string;
};

export type WaitOptions = Cancellable & {
  /** Told of the task as it is at first, and whenever something about it has changed. */
  readonly onChange?: (task: TaskDescription) => void;
};

/** Work that goes on after its call was answered with `accepted`. */
export type TaskCalls = {
  listTasks(query?: TasksQuery, options?: Cancellable): Promise<TaskListing>;
  getTask(id: string, options?: Cancellable): Promise<TaskDescription>;
  /** The task as it is then; one that has ended otherwise raises `VcpProblem`. */
  cancelTask(id: string, options?: Cancellable & { readonly reason?: string }): Promise<TaskDescription>;
  /** The result that ends the task. A connection that breaks off in between is made again. */
  waitForTask(id: string, options?: WaitOptions): Promise<CanonicalToolResult>;
};

/** Connections that may fail one after another: a server that is started anew is back within half a minute. */
const MOST_FAILURES = 10;
/** Milliseconds before the second attempt; the wait doubles with every further one, up to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

export const createTaskCalls = (connection: HttpConnection): TaskCalls => {
  const pathOf = (id: string) => `/v1/tasks/${encodeURIComponent(id)}`;
  const getTask: TaskCalls['getTask'] = async (id, options) =>
    (await connection.get(pathOf(id), options)) as TaskDescription;

  /** Follows the task for as long as one connection lasts; null when that ends before the task does. */
  const follow = async (
    id: string,
    signal: AbortSignal | undefined,
    onTask: (task: TaskDescription) => void,
  ): Promise<CanonicalToolResult | null> => {
    const response = await connection.send(`${pathOf(id)}/events`, {
      headers: { accept: 'text/event-stream, application/json;q=0.5' },
      ...(signal === undefined ? {} : { signal }),
    });
    if (!isEventStream(response)) throw connection.faultOf(response, await response.json().catch(() => null));
    for await (const message of readEventStream(response.body, signal)) {
      const data = eventData(message);
      if (data === undefined) return null;
      if (message.event === 'result') return data as CanonicalToolResult;
      if (message.event === 'problem') throw connection.faultOf(response, data);
      if (message.event === 'task') onTask(data as TaskDescription);
    }
    return null;
  };

  return {
    listTasks: async (query = {}, options) =>
      (await connection.get(`/v1/tasks${searchOf(query)}`, options)) as TaskListing,
    getTask,
    cancelTask: async (id, { reason, signal } = {}) =>
      (await connection.post(`${pathOf(id)}/cancel`, { reason }, { signal })) as TaskDescription,
    waitForTask: async (id, { signal, onChange } = {}) => {
      let failures = 0;
      let shown = '';
      const onTask = (task: TaskDescription) => {
        failures = 0;
        // Each connection begins with the task as it is; what was told before is no change.
        const text = JSON.stringify(task);
        if (text !== shown) onChange?.(task);
        shown = text;
      };
      for (;;) {
        let fault: unknown = null;
        try {
          const result = await follow(id, signal, onTask);
          if (result !== null) return result;
          // Where streams do not come through, the task can still be asked for.
          const task = await getTask(id, { signal });
          onTask(task);
          if (TERMINAL_STATES.has(task.state)) return await endOf(task, signal);
        } catch (error) {
          if (!isPassing(error)) throw error;
          fault = error;
        }
        failures += 1;
        if (failures >= MOST_FAILURES)
          throw new VcpUnreachable(
            `the connection to ${connection.base} breaks off before the task ends; the task goes on without it`,
            { cause: fault },
          );
        await sleep(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS), signal ?? NEVER);
      }
    },
  };

  async function endOf({ id, state, resultId }: TaskDescription, signal: AbortSignal | undefined) {
    if (resultId === null) throw new Error(`the task ${id} has ended as ${state}, and its result is not kept any more`);
    return (await connection.get(`/v1/results/${encodeURIComponent(resultId)}`, { signal })) as CanonicalToolResult;
  }
};

const NEVER = new AbortController().signal;

/** Whether the same request may succeed later: no server answers, or one that starts, stops or is full. */
const isPassing = (error: unknown): boolean =>
  error instanceof VcpUnreachable ||
  (error instanceof VcpProblem && (error.problem.status >= 500 || error.problem.status === 429));
