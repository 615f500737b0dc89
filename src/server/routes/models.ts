import { Hono } from 'hono';
import type { OfferedModel } from '../../ports/language-model.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { upstreamProblem } from '../chat/openai-error.ts';
import { problem } from '../problem.ts';

/**
 * `GET /v1/models`, in the words of OpenAI: those of the upstream, with the aliases and the models of the white lists. When
 * the upstream does not tell, there are those of the configuration, and `vcp.incomplete` says why. Without an upstream
 * there are none.
 */
export const modelRoutes = ({ chat, passThrough, logger }: RouteDependencies) =>
  new Hono<AppEnvironment>().get('/v1/models', async (c) => {
    if (chat === undefined) return c.json({ object: 'list', data: [] });
    const configured = passThrough?.configuredModels ?? [];
    let offered: readonly OfferedModel[] = [];
    let fault: UpstreamError | null = null;
    try {
      offered = await chat.model.listModels({ signal: c.req.raw.signal });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (configured.length === 0) return problem(c, upstreamProblem(error));
      logger.warn('models.not-told', { requestId: c.get('requestId'), code: error.code });
      fault = error;
    }
    const known = new Set(offered.map(({ id }) => id.toLowerCase()));
    const added = configured
      .filter((id) => !known.has(id.toLowerCase()))
      .map((id): OfferedModel => ({ id, created: null, ownedBy: 'unknown' }));
    const data = [...offered, ...added].map(({ id, created, ownedBy }) => ({
      id,
      object: 'model',
      created: created ?? 0,
      owned_by: ownedBy,
    }));
    return c.json({ object: 'list', data, ...(fault === null ? {} : { vcp: { incomplete: fault.message } }) });
  });
