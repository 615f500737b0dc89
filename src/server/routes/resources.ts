import { Hono, type Context } from 'hono';
import { maySee } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';
import { sendResource, type SendDependencies } from '../send-resource.ts';

type ResourceRouteDependencies = Pick<AppDependencies, 'calls'> & SendDependencies;

/** The bytes of managed resources. The name in the path is for people and for what they save; the id alone decides. */
export const resourceRoutes = (dependencies: ResourceRouteDependencies) =>
  new Hono<AppEnvironment>()
    .get('/v1/resources/:id', (c) => serve(c, c.req.param('id'), dependencies))
    .get('/v1/resources/:id/:fileName', (c) => serve(c, c.req.param('id'), dependencies));

const serve = async (
  c: Context<AppEnvironment>,
  id: string,
  dependencies: ResourceRouteDependencies,
): Promise<Response> => {
  const stored = await dependencies.calls.getResource(id);
  if (stored === null || !maySee(c.get('identity'), stored.owner)) {
    const detail = `there is no resource "${id.slice(0, 64)}" that this key may see`;
    return problem(c, { status: 404, code: 'NOT_FOUND', detail });
  }
  return await sendResource(c, stored, dependencies);
};
