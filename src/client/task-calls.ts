import { sleep } from '../lib/sleep.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { TaskDescription, TaskListing } from '../protocol/task-listing.ts';
import { TERMINAL_STATES } from './terminal-states.ts';
import { VcpUnreachable } from './client-errors.ts';
import type { Cancellable, HttpConnection } from './http-connection.ts';
import { eventData, readEventStream } from './read-event-stream.ts';
import { searchOf } from './search-of.ts';
import type { TasksQuery } from './task-query.ts';

export type WaitOptions = Cancellable & {
  /** Told of the task as it is at first, and whenever something about it has changed. */
  readonly onTask?: (task: TaskDescription) => void;
};

/** Work that goes on after its call was answered with `accepted`. */
export type TaskCalls = {
  listTasks(query?: TasksQuery, options?: Cancellable): Promise<TaskListing>;
  getTask(id: string, options?: Cancellable): Promise<TaskDescription>;
  /** The task as it is then; one that has ended otherwise raises `VcpProblem`. */
  cancelTask(id: string, reason?: string, options?: Cancellable): Promise<TaskDescription>;
  /** The result that ends the task. A connection that breaks off in between is made again. */
  waitForTask(id: string, options?: WaitOptions): Promise<CanonicalToolResult>;
};

/** Connections that may fail one after another. */
const MOST_FAILURES = 6;
/** Milliseconds before the second attempt; the wait doubles with every further one. */
const FIRST_WAIT_MS = 250;

export const createTaskCalls = (connection: HttpConnection): TaskCalls => {
  const pathOf = (id: string) => `/v1/tasks/${encodeURIComponent(id)}`;

  /** Follows the task for as long as one connection lasts. */
  const follow = async (id: string, { signal, onTask }: WaitOptions, onLife: () => void): Promise<Followed> => {
    const response = await connection.send(`${pathOf(id)}/events`, {
      headers: { accept: 'text/event-stream, application/json;q=0.5' },
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok || response.body === null) throw connection.faultOf(response, await jsonOrNull(response));
    let last: TaskDescription | null = null;
    for await (const message of readEventStream(response.body, signal)) {
      const data = eventData(message);
      if (data === undefined) break;
      onLife();
      if (message.event === 'result') return { result: data as CanonicalToolResult, last };
      if (message.event === 'problem') throw connection.faultOf(response, data);
      if (message.event !== 'task') continue;
      last = data as TaskDescription;
      onTask?.(last);
    }
    return { result: null, last };
  };

  return {
    listTasks: async (query = {}, options) =>
      (await connection.get(`/v1/tasks${searchOf(query)}`, options)) as TaskListing,
    getTask: async (id, options) => (await connection.get(pathOf(id), options)) as TaskDescription,
    cancelTask: async (id, reason, options) =>
      (await connection.post(`${pathOf(id)}/cancel`, { reason }, options)) as TaskDescription,
    waitForTask: async (id, options = {}) => {
      let failures = 0;
      let fault: unknown = null;
      for (;;) {
        try {
          const { result, last } = await follow(id, options, () => (failures = 0));
          if (result !== null) return result;
          if (last !== null && TERMINAL_STATES.has(last.state))
            throw new Error(`the task ${id} has ended as ${last.state}, and its result is not kept any more`);
        } catch (error) {
          if (!(error instanceof VcpUnreachable)) throw error;
          fault = error;
        }
        failures += 1;
        if (failures >= MOST_FAILURES)
          throw new VcpUnreachable(`the connection to ${connection.base} breaks off before the task ends`, {
            cause: fault,
          });
        await sleep(FIRST_WAIT_MS * 2 ** (failures - 1), options.signal ?? new AbortController().signal);
      }
    },
  };
};

type Followed = { readonly result: CanonicalToolResult | null; readonly last: TaskDescription | null };

const jsonOrNull = (response: Response): Promise<unknown> => response.json().catch(() => null);
