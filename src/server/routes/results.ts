import { Hono } from 'hono';
import { z } from 'zod';
import { parseJsonPointer, resolveJsonPointer } from '../../lib/json-pointer.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import { ResultView } from '../../protocol/invocation.ts';
import { project } from '../../runtime/project.ts';
import { maySee } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

const MAX_PAGE = 10_000;

const ResultQuery = z.strictObject({
  view: ResultView.default('canonical'),
  pointer: z.string().max(4_096).optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(1_000),
});

/**
 * Stored results, in every view. With `pointer`, one part of the view: of a list or a text, `limit` items or
 * characters from `offset`.
 */
export const resultRoutes = ({ calls, knownPaths, limits }: Pick<AppDependencies, 'calls' | 'knownPaths' | 'limits'>) =>
  new Hono<AppEnvironment>().get('/v1/results/:id', validated('query', ResultQuery), async (c) => {
    const id = c.req.param('id');
    const { view, pointer, offset, limit } = c.req.valid('query');
    const identity = c.get('identity');
    const stored = await calls.getResult(id);
    if (stored === null || !maySee(identity, stored.owner)) {
      return problem(c, {
        status: 404,
        code: 'NOT_FOUND',
        detail: `there is no result "${id.slice(0, 64)}" that this key may see`,
      });
    }
    const projected = project(stored.result, view, { viewer: identity, knownPaths, limits });
    if (pointer === undefined) return c.body(jsonTextOf(projected), 200, { 'content-type': 'application/json' });
    try {
      parseJsonPointer(pointer);
    } catch {
      return problem(c, {
        status: 400,
        code: 'INVALID_REQUEST',
        detail: 'pointer must be a JSON Pointer (RFC 6901), such as /data/items',
        issues: [{ pointer: '/pointer', message: 'is not a JSON Pointer' }],
      });
    }
    const part = resolveJsonPointer(projected, pointer);
    if (part === undefined)
      return problem(c, {
        status: 404,
        code: 'NOT_FOUND',
        detail: `the ${view} view of this result has nothing at ${pointer}`,
      });
    return c.json({ resultId: id, view, pointer, ...pageOf(part, offset, limit) });
  });

type Page = { value: unknown; offset: number; total: number | null; nextOffset: number | null };

const pageOf = (part: unknown, offset: number, limit: number): Page => {
  if (!Array.isArray(part) && typeof part !== 'string')
    return { value: part, offset: 0, total: null, nextOffset: null };
  const end = offset + limit;
  return { value: part.slice(offset, end), offset, total: part.length, nextOffset: end < part.length ? end : null };
};
