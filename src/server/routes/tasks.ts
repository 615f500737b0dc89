import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { InvalidCursor } from '../../lib/record-cursor.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import { ResultView } from '../../protocol/invocation.ts';
import { TaskCancellation } from '../../protocol/task-listing.ts';
import { TaskState } from '../../protocol/task.ts';
import { describeTask } from '../../runtime/tasks/describe-task.ts';
import { maySee, seesEverything } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { boundedJson, jsonOrNothing, validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import { streamTask } from '../stream-task.ts';

export const TasksQuery = z.strictObject({
  tool: z.string().max(256).optional().meta({ description: 'Only tasks of this tool.' }),
  state: TaskState.optional().meta({ description: 'Only tasks in this state.' }),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).meta({ description: 'Most tasks of a page.' }),
  cursor: z.string().max(256).optional().meta({ description: '`nextCursor` of the page before.' }),
});

export const TaskEventsQuery = z.strictObject({
  view: ResultView.default('canonical').meta({ description: 'The projection of the result at the end.' }),
});

/** Tasks (§4.8), newest first; a key sees and cancels its own, an operator all. */
export const taskRoutes = (dependencies: RouteDependencies) => {
  const { tasks, limits, knownPaths } = dependencies;

  const visible = async (c: Context<AppEnvironment>, id: string): Promise<StoredTask | null> => {
    const task = await tasks.store.get(id);
    return task !== null && maySee(c.get('identity'), task.owner) ? task : null;
  };
  const shown = (c: Context<AppEnvironment>, task: StoredTask) =>
    describeTask(task, { view: 'canonical', viewer: c.get('identity'), knownPaths });
  const unknown = (c: Context<AppEnvironment>, id: string) =>
    problem(c, {
      status: 404,
      code: 'NOT_FOUND',
      detail: `there is no task "${id.slice(0, 64)}" that this key may see`,
    });

  return new Hono<AppEnvironment>()
    .get('/v1/tasks', validated('query', TasksQuery), async (c) => {
      const identity = c.get('identity');
      const { tool, state, ...page } = c.req.valid('query');
      try {
        const { tasks: found, nextCursor } = await tasks.store.list({
          ...page,
          owner: seesEverything(identity) ? null : identity.id,
          toolName: tool,
          states: state === undefined ? undefined : [state],
        });
        return c.json({ tasks: found.map((task) => shown(c, task)), nextCursor });
      } catch (error) {
        if (!(error instanceof InvalidCursor)) throw error;
        return problem(c, {
          status: 400,
          code: 'INVALID_REQUEST',
          detail: error.message,
          issues: [{ pointer: '/cursor', message: error.message }],
        });
      }
    })
    .get('/v1/tasks/:id', async (c) => {
      const task = await visible(c, c.req.param('id'));
      return task === null ? unknown(c, c.req.param('id')) : c.json(shown(c, task));
    })
    .get('/v1/tasks/:id/events', validated('query', TaskEventsQuery), async (c) => {
      const task = await visible(c, c.req.param('id'));
      if (task === null) return unknown(c, c.req.param('id'));
      return streamTask(c, task, c.req.valid('query').view, dependencies);
    })
    .post(
      '/v1/tasks/:id/cancel',
      jsonOrNothing(),
      boundedJson(limits),
      validated('json', TaskCancellation),
      async (c) => {
        const task = await visible(c, c.req.param('id'));
        if (task === null) return unknown(c, c.req.param('id'));
        const cancelled = await tasks.cancel(task.id, c.req.valid('json').reason ?? null);
        const now = (await tasks.store.get(task.id)) ?? task;
        if (cancelled === 'ended' && now.state !== 'cancelled') {
          return problem(c, {
            status: 409,
            code: 'TASK_ENDED',
            detail: `the task has ended as ${now.state}; its result is ${now.resultId}`,
          });
        }
        return c.json(shown(c, now));
      },
    );
};
