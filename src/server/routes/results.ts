import { Hono } from 'hono';
import { z } from 'zod';
import { parseJsonPointer, resolveJsonPointer } from '../../lib/json-pointer.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import { ResultView } from '../../protocol/invocation.ts';
import { project } from '../../runtime/project.ts';
import { maySee } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

const MAX_PAGE = 10_000;
const DEFAULT_PAGE = 1_000;

export const ResultQuery = z
  .strictObject({
    view: ResultView.default('canonical').meta({ description: 'The projection to read.' }),
    pointer: z.string().max(4_096).optional().meta({ description: 'JSON Pointer to a part of the view.' }),
    offset: z.coerce.number().int().min(0).optional().meta({ description: 'First item or character of the part.' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .optional()
      .meta({ description: 'Most items or characters of the part.' }),
  })
  .refine(({ pointer, offset, limit }) => pointer !== undefined || (offset === undefined && limit === undefined), {
    error: 'offset and limit page through a part of the view: give its pointer too',
    path: ['pointer'],
  });

/**
 * Stored results, in every view. With `pointer`, one part of the view: of a list or a text, `limit` items or
 * characters from `offset`.
 */
export const resultRoutes = ({
  calls,
  knownPaths,
  limits,
  presenting,
}: Pick<RouteDependencies, 'calls' | 'knownPaths' | 'limits' | 'presenting'>) =>
  new Hono<AppEnvironment>().get('/v1/results/:id', validated('query', ResultQuery), async (c) => {
    const id = c.req.param('id');
    const { view, pointer, offset = 0, limit = DEFAULT_PAGE } = c.req.valid('query');
    const identity = c.get('identity');
    const stored = await calls.getResult(id);
    if (stored === null || !maySee(identity, stored.owner)) {
      return problem(c, {
        status: 404,
        code: 'NOT_FOUND',
        detail: `there is no result "${id.slice(0, 64)}" that this key may see`,
      });
    }
    const projected = presenting(view, c.get('trace'), () =>
      project(stored.result, view, { viewer: identity, knownPaths, limits }),
    );
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
  if (typeof part === 'string') return pageOfText(part, offset, limit);
  if (!Array.isArray(part)) return { value: part, offset: 0, total: null, nextOffset: null };
  const end = offset + limit;
  return { value: part.slice(offset, end), offset, total: part.length, nextOffset: end < part.length ? end : null };
};

/** Offsets are UTF-16 units, as JSON strings are counted in JavaScript; a page never ends or begins inside a character. */
const pageOfText = (text: string, offset: number, limit: number): Page => {
  const start = splitsCharacter(text, offset) ? offset - 1 : offset;
  const end = splitsCharacter(text, offset + limit) ? offset + limit + 1 : offset + limit;
  return {
    value: text.slice(start, end),
    offset: start,
    total: text.length,
    nextOffset: end < text.length ? end : null,
  };
};

const splitsCharacter = (text: string, index: number): boolean =>
  index > 0 &&
  index < text.length &&
  !text.slice(index - 1, index).isWellFormed() &&
  (text.codePointAt(index - 1) ?? 0) > 0xffff;
