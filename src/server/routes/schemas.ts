import { Hono } from 'hono';
import type { AppEnvironment, ServerDocuments } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** The generated JSON Schemas by name, with or without `.schema.json`. */
export const schemaRoutes = ({ load }: ServerDocuments) =>
  new Hono<AppEnvironment>()
    .get('/schemas/1.0', async (c) => c.json({ schemas: [...(await load()).schemas.keys()] }))
    .get('/schemas/1.0/:name', async (c) => {
      const name = c.req.param('name').replace(/(\.schema)?\.json$/, '');
      const schema = (await load()).schemas.get(name);
      if (schema === undefined)
        return problem(c, {
          status: 404,
          code: 'NOT_FOUND',
          detail: `there is no schema "${name}"; GET /schemas/1.0 lists them`,
        });
      return c.body(JSON.stringify(schema), 200, { 'content-type': 'application/schema+json' });
    });
