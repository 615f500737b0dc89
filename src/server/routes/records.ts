import { Hono } from 'hono';
import { z } from 'zod';
import { InvalidCursor } from '../../lib/record-cursor.ts';
import { ToolStatus } from '../../protocol/status.ts';
import { Timestamp } from '../../protocol/timestamp.ts';
import { maySee, seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

export const RecordsQuery = z.strictObject({
  tool: z.string().max(256).optional().meta({ description: 'Name of the tool.' }),
  status: ToolStatus.optional().meta({ description: 'Status of the result.' }),
  actor: z.string().max(256).optional().meta({ description: 'Name of the actor.' }),
  since: Timestamp.optional().meta({ description: 'Started at or after (RFC 3339).' }),
  until: Timestamp.optional().meta({ description: 'Started before (RFC 3339).' }),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).meta({ description: 'Most records of a page.' }),
  cursor: z.string().max(256).optional().meta({ description: '`nextCursor` of the page before.' }),
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
