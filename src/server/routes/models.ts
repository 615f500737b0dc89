import { Hono } from 'hono';
import { UpstreamError } from '../../ports/upstream-error.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { upstreamProblem } from '../chat/openai-error.ts';
import { problem } from '../problem.ts';

/** `GET /v1/models`, in the words of OpenAI. Without an upstream there are none. */
export const modelRoutes = ({ chat }: RouteDependencies) =>
  new Hono<AppEnvironment>().get('/v1/models', async (c) => {
    if (chat === undefined) return c.json({ object: 'list', data: [] });
    try {
      const models = await chat.model.listModels({ signal: c.req.raw.signal });
      const data = models.map(({ id, created, ownedBy }) => ({
        id,
        object: 'model',
        created: created ?? 0,
        owned_by: ownedBy,
      }));
      return c.json({ object: 'list', data });
    } catch (error) {
      if (error instanceof UpstreamError) return problem(c, upstreamProblem(error));
      throw error;
    }
  });
