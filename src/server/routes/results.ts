import { Hono } from 'hono';
import { z } from 'zod';
import { parseJsonPointer, resolveJsonPointer } from '../../lib/json-pointer.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import { pageOf } from '../../lib/page-of.ts';
import { DEFAULT_AI_CONTEXT, type AiContext } from '../../present/ai/ai-view.ts';
import { ResultView } from '../../protocol/invocation.ts';
import { project } from '../../runtime/project.ts';
import { maySee } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

const MAX_PAGE = 10_000;
const DEFAULT_PAGE = 1_000;

/** The view is made in one go on the server's thread: 200,000 characters of rows take up to a second of it. */
const MAX_CHARACTERS = 200_000;
const MAX_RESOURCES = 256;

const flag = z.enum(['true', 'false']).optional();
const AI_PARAMETERS = ['maxCharacters', 'maxResources', 'vision', 'audio', 'execution'] as const;

export const ResultQuery = z
  .strictObject({
    view: ResultView.default('canonical').meta({ description: 'The projection to read.' }),
    pointer: z.string().max(4_096).optional().meta({ description: 'JSON Pointer to a part of the view.' }),
    offset: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .meta({ description: 'First item, field or character of the part.' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .optional()
      .meta({ description: 'Most items, fields or characters of the part.' }),
    maxCharacters: z.coerce
      .number()
      .int()
      .min(0)
      .max(MAX_CHARACTERS)
      .optional()
      .meta({ description: 'Of the AI view: most characters of its text; 30000 by default, 200000 at most.' }),
    maxResources: z.coerce
      .number()
      .int()
      .min(0)
      .max(MAX_RESOURCES)
      .optional()
      .meta({ description: 'Of the AI view: most resources that are listed or attached; 4 by default.' }),
    vision: flag.meta({ description: 'Of the AI view: whether the model sees; true by default.' }),
    audio: flag.meta({ description: 'Of the AI view: whether the model hears; false by default.' }),
    execution: flag.meta({ description: 'Of the AI view: whether it ends with when the call ran; false by default.' }),
  })
  .refine(({ view, ...query }) => view === 'ai' || AI_PARAMETERS.every((name) => query[name] === undefined), {
    error: 'maxCharacters, maxResources, vision, audio and execution are of the AI view: add view=ai',
    path: ['view'],
  })
  .refine(({ pointer, offset, limit }) => pointer !== undefined || (offset === undefined && limit === undefined), {
    error: 'offset and limit page through a part of the view: give its pointer too',
    path: ['pointer'],
  });

/**
 * Stored results, in every view. With `pointer`, one part of the view: of a list, an object or a text, `limit` items,
 * fields or characters from `offset`.
 */
export const resultRoutes = ({
  calls,
  knownPaths,
  limits,
  presenting,
}: Pick<RouteDependencies, 'calls' | 'knownPaths' | 'limits' | 'presenting'>) =>
  new Hono<AppEnvironment>().get('/v1/results/:id', validated('query', ResultQuery), async (c) => {
    const id = c.req.param('id');
    const query = c.req.valid('query');
    const { view, pointer, offset = 0, limit = DEFAULT_PAGE } = query;
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
      project(stored.result, view, { viewer: identity, knownPaths, limits, ai: aiContextOf(query) }),
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

/** What the query says of the model that reads; the rest is as usual. */
const aiContextOf = (query: z.infer<typeof ResultQuery>): Partial<AiContext> => {
  const { maxCharacters, maxResources, vision, audio, execution } = query;
  const usual = DEFAULT_AI_CONTEXT.modelCapabilities;
  return {
    ...(maxCharacters === undefined ? {} : { maxCharacters }),
    ...(maxResources === undefined ? {} : { maxResources }),
    includeExecutionMetadata: execution === 'true',
    modelCapabilities: {
      vision: vision === undefined ? usual.vision : vision === 'true',
      audio: audio === undefined ? usual.audio : audio === 'true',
    },
  };
};
