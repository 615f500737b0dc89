import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { describeFault } from '../lib/describe-fault.ts';
import { jsonTextOf } from '../lib/json-text.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { ResultView } from '../protocol/invocation.ts';
import { project } from '../runtime/project.ts';
import { describeTask } from '../runtime/tasks/describe-task.ts';
import { isTerminal } from '../task/task-state.ts';
import { maySee } from './access.ts';
import type { AppEnvironment, RouteDependencies } from './app-environment.ts';
import { INTERNAL_ERROR, problemBody } from './problem.ts';

/**
 * A stream of `task` events, from the state of now on, whenever something has changed; ended by one `result` event. What
 * other servers on the same store do is seen by looking. A client that reads slowly gets the newest state, not each. A
 * server that stops ends the stream without a result: the task can be followed on the next one; so does a key that may not
 * see the task any more.
 */
export const streamTask = (
  c: Context<AppEnvironment>,
  { id }: StoredTask,
  view: ResultView,
  { tasks, calls, limits, knownPaths, logger, isReady }: RouteDependencies,
): Response => {
  const credential = c.get('credential');
  // Proxies that gather an answer before they pass it on would gather the events too.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    let change = Promise.withResolvers<void>();
    const wake = () => change.resolve();
    const unfollow = tasks.follow(id, wake);
    const looking = setInterval(wake, limits.taskLookMs);
    const keepAlive = setInterval(() => void stream.write(': keep-alive\n\n'), limits.streamKeepAliveMs);
    stream.onAbort(wake);
    try {
      let shown = '';
      while (!stream.aborted) {
        change = Promise.withResolvers<void>();
        const task = await tasks.store.get(id);
        // A task may take hours, and the key may go before it ends.
        const viewer = await credential.ask();
        if (task === null || viewer === null || typeof viewer === 'string' || !maySee(viewer, task.owner)) return;
        const text = JSON.stringify(describeTask(task, { view, viewer, knownPaths }));
        if (text !== shown) await stream.writeSSE({ event: 'task', data: text });
        shown = text;
        if (isTerminal(task.state)) {
          const stored = task.resultId === null ? null : await calls.getResult(task.resultId);
          if (stored === null) return;
          const projected = project(stored.result, view, { viewer, knownPaths, limits });
          await stream.writeSSE({ event: 'result', data: jsonTextOf(projected) });
          return;
        }
        if (!isReady()) return;
        await change.promise;
      }
    } catch (error) {
      logger.error('http.fault', { requestId: c.get('requestId'), taskId: id, fault: describeFault(error) });
      await stream.writeSSE({ event: 'problem', data: JSON.stringify(problemBody(c, INTERNAL_ERROR)) });
    } finally {
      unfollow();
      clearInterval(looking);
      clearInterval(keepAlive);
    }
  });
};
