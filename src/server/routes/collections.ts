import { Hono } from 'hono';
import { z } from 'zod';
import type { AppEnvironment, AppDependencies } from '../app-environment.ts';
import { boundedJson, jsonOrNothing, validated } from '../middleware/json-body.ts';
import { operatorsOnly } from '../middleware/operators-only.ts';
import { collectGarbage } from '../../runtime/collect-garbage.ts';

export const CollectionQuery = z.strictObject({
  dryRun: z.enum(['true', 'false']).default('false').meta({ description: 'Count what would go, and remove nothing.' }),
});

export const CollectionBody = z.strictObject({
  dryRun: z.boolean().optional().meta({ description: 'Count what would go, and remove nothing; as in the query.' }),
});

type CollectionRouteDependencies = Pick<AppDependencies, 'calls' | 'tasks' | 'blobs' | 'clock' | 'logger' | 'limits'>;

/** `POST /v1/resources/gc`, for operators: removes now what has had its time. Either `dryRun` keeps it from that. */
export const collectionRoutes = (dependencies: CollectionRouteDependencies) =>
  new Hono<AppEnvironment>().post(
    '/v1/resources/gc',
    operatorsOnly(),
    validated('query', CollectionQuery),
    boundedJson(dependencies.limits),
    jsonOrNothing(),
    validated('json', CollectionBody),
    async (c) => {
      const dryRun = c.req.valid('query').dryRun === 'true' || c.req.valid('json').dryRun === true;
      return c.json(await collectGarbage(dependencies, { dryRun }));
    },
  );
