import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { findModel } from '../../chat/passthrough/find-model.ts';
import type { SpecialKind } from '../../chat/passthrough/white-lists.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { NO_UPSTREAM, SHUTTING_DOWN } from '../chat/refusals.ts';
import { relayRequest } from '../chat/relay-request.ts';
import { isJson } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

/** `POST /v1/embeddings` and `POST /v1/images/generations`: the upstream's own, for models on the white lists. */
export const specialModelRoutes = (dependencies: RouteDependencies) =>
  new Hono<AppEnvironment>()
    .post('/v1/embeddings', (c) => pass(c, '/embeddings', 'embedding', dependencies))
    .post('/v1/images/generations', (c) => pass(c, '/images/generations', 'image', dependencies));

/** Chat requests for image models on the white list go the same way; all others go on. */
export const specialChats =
  (dependencies: RouteDependencies): MiddlewareHandler<AppEnvironment> =>
  async (c, next) => {
    const { passThrough, isReady } = dependencies;
    if (passThrough?.upstreamKind !== 'openai' || !passThrough.hasImageModels || !isReady()) return await next();
    if (c.req.method !== 'POST' || !isPlainJson(c)) return await next();
    const body = new Uint8Array(await c.req.arrayBuffer());
    const found = findModel(body);
    const chosen = found.ok ? passThrough.choose(found.model, 'image') : null;
    if (!found.ok || chosen?.kind !== 'image') return await next();
    return await relayRequest(c, { path: '/chat/completions', body, found, ...chosen }, passThrough, dependencies);
  };

const pass = async (
  c: Context<AppEnvironment>,
  path: string,
  preferred: SpecialKind,
  dependencies: RouteDependencies,
): Promise<Response> => {
  const { passThrough, isReady } = dependencies;
  if (!isReady()) return problem(c, SHUTTING_DOWN);
  if (passThrough === undefined) return problem(c, NO_UPSTREAM);
  if (passThrough.upstreamKind !== 'openai') {
    return problem(c, {
      status: 400,
      code: 'UPSTREAM_UNSUPPORTED',
      detail: `embeddings and images pass to upstreams of the kind openai only, and this server's is ${passThrough.upstreamKind}: its operator has to set VCP_UPSTREAM_KIND and VCP_UPSTREAM_URL to an interface that speaks as OpenAI does`,
    });
  }
  if (!isPlainJson(c)) {
    const detail = 'send JSON (content-type: application/json) without a content-encoding';
    return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
  }
  const body = new Uint8Array(await c.req.arrayBuffer());
  const found = findModel(body);
  if (!found.ok) {
    const issues = [{ pointer: '/model', message: found.reason }];
    return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: `the body ${found.reason}`, issues });
  }
  const chosen = passThrough.choose(found.model, preferred);
  if (chosen === null) {
    const message = `names "${found.model.slice(0, 100)}", which is on no white list of this server`;
    return problem(c, {
      status: 400,
      code: 'MODEL_NOT_LISTED',
      detail: `/model ${message}: its operator has to add it to VCP_WHITELIST_EMBEDDING_MODELS or VCP_WHITELIST_IMAGE_MODELS`,
      issues: [{ pointer: '/model', message }],
    });
  }
  return await relayRequest(c, { path, body, found, ...chosen }, passThrough, dependencies);
};

/** What the model can be read out of, as it will be by the upstream. */
const isPlainJson = (c: Context<AppEnvironment>): boolean =>
  isJson(c.req.header('content-type')) && (c.req.header('content-encoding') ?? 'identity') === 'identity';
