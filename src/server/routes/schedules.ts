import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { InvalidCursor } from '../../lib/record-cursor.ts';
import { ScheduleState } from '../../protocol/schedule.ts';
import type { ScheduleRefusal, ScheduleService } from '../../runtime/scheduling/schedule-service.ts';
import { maySee, seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { servedOnlyIf } from '../middleware/not-served-here.ts';
import { boundedJson, isJson, utf8Body } from '../middleware/json-body.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

const cursor = z.string().max(256).optional().meta({ description: '`nextCursor` of the page before.' });

export const SchedulesQuery = z.strictObject({
  tool: z.string().max(256).optional().meta({ description: 'Name of the tool.' }),
  state: ScheduleState.optional().meta({ description: 'State of the schedule.' }),
  limit: z.coerce.number().int().min(1).max(100).default(100).meta({ description: 'Most schedules of a page.' }),
  cursor,
});

export const ScheduleRunsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(20).meta({ description: 'Most runs of a page.' }),
  cursor,
});

type ScheduleDependencies = Pick<AppDependencies, 'schedules' | 'limits' | 'isReady'>;

/** Calls that are made later: each key has its own, operators see all. */
export const scheduleRoutes = ({ schedules: given, limits, isReady }: ScheduleDependencies) => {
  // Without it, no request comes this far.
  const schedules = given as ScheduleService;
  return new Hono<AppEnvironment>()
    .use('/v1/schedules/*', servedOnlyIf(given !== undefined, 'schedules'))
    .post('/v1/schedules', utf8Body(), boundedJson(limits), async (c) => {
      if (!isJson(c.req.header('content-type'))) {
        const detail = 'send a JSON body (content-type: application/json)';
        return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
      }
      if (!isReady()) {
        return problem(c, {
          status: 503,
          code: 'SHUTTING_DOWN',
          detail: 'the server is shutting down and takes no new schedules',
          headers: { 'retry-after': '5', connection: 'close' },
        });
      }
      const { id, name } = c.get('identity');
      const made = await schedules.create(await c.req.json(), {
        owner: id,
        actor: { type: 'human', id, name, maid: null },
        source: 'human',
      });
      if (!made.ok) return refusal(c, made.refusal);
      return c.json(made.schedule, 201, { location: `/v1/schedules/${made.schedule.id}` });
    })
    .get('/v1/schedules', validated('query', SchedulesQuery), async (c) => {
      const identity = c.get('identity');
      const { tool, ...query } = c.req.valid('query');
      const owner = seesEverything(identity) ? null : identity.id;
      return await paged(c, () => schedules.list({ ...query, toolName: tool, owner }));
    })
    .get('/v1/schedules/:id', validated('query', ScheduleRunsQuery), async (c) => {
      const id = c.req.param('id');
      // Asked before anything else is looked at: a fault of the rest would tell that there is such a schedule.
      const schedule = await schedules.get(id);
      if (schedule === null || !maySee(c.get('identity'), schedule.owner)) return notFound(c);
      return await paged(c, () => schedules.details(id, c.req.valid('query')));
    })
    .delete('/v1/schedules/:id', async (c) => {
      const id = c.req.param('id');
      const schedule = await schedules.get(id);
      if (schedule === null || !maySee(c.get('identity'), schedule.owner)) return notFound(c);
      const now = (await schedules.cancel(id)) ?? (await schedules.get(id));
      if (now === null) return notFound(c);
      // Whoever asks twice gets what the first one got.
      if (now.state === 'cancelled') return c.json(now);
      const detail = 'this schedule has ended already: no further run is due';
      return problem(c, { status: 409, code: 'SCHEDULE_ENDED', detail });
    });
};

const REFUSAL_STATUS = { INVALID_REQUEST: 400, FORBIDDEN: 403, TOO_MANY_SCHEDULES: 409 } as const;

const refusal = (c: Context<AppEnvironment>, { code, message, issues }: ScheduleRefusal): Response =>
  problem(c, {
    status: REFUSAL_STATUS[code],
    code,
    detail: message,
    ...(issues.length > 0 ? { issues } : {}),
  });

const notFound = (c: Context<AppEnvironment>): Response =>
  problem(c, {
    status: 404,
    code: 'NOT_FOUND',
    detail: `there is no schedule "${(c.req.param('id') ?? '').slice(0, 64).toWellFormed()}" that this key may see`,
  });

/** What a page is answered with: itself, 404 without one, 400 for a cursor that no page gave. */
const paged = async (c: Context<AppEnvironment>, read: () => Promise<object | null>): Promise<Response> => {
  try {
    const page = await read();
    return page === null ? notFound(c) : c.json(page);
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    const issues = [{ pointer: '/cursor', message: error.message }];
    return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: error.message, issues });
  }
};
