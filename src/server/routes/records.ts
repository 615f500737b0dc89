import { Hono } from 'hono';
import { z } from 'zod';
import { InvalidCursor } from '../../ports/call-store.ts';
import { ToolStatus } from '../../protocol/status.ts';
import { Timestamp } from '../../protocol/timestamp.ts';
import { maySee, seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

const RecordsQuery = z.strictObject({
  tool: z.string().max(256).optional(),
  status: ToolStatus.optional(),
  actor: z.string().max(256).optional(),
  since: Timestamp.optional(),
  until: Timestamp.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  cursor: z.string().max(256).optional(),
});

/** The audit records of calls, newest first; a key reads its own, an operator all. */
export const recordRoutes = ({ calls }: Pick<AppDependencies, 'calls'>) =>
  new Hono<AppEnvironment>()
    .get('/v1/records', validated('query', RecordsQuery), async (c) => {
      const identity = c.get('identity');
      const { tool, ...query } = c.req.valid('query');
      try {
        return c.json(
          await calls.listRecords({ ...query, toolName: tool, owner: seesEverything(identity) ? null : identity.id }),
        );
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
    .get('/v1/records/:id', async (c) => {
      const record = await calls.getRecord(c.req.param('id'));
      if (record === null || !maySee(c.get('identity'), record.owner)) {
        return problem(c, {
          status: 404,
          code: 'NOT_FOUND',
          detail: `there is no record "${c.req.param('id').slice(0, 64)}" that this key may see`,
        });
      }
      return c.json(record);
    });
