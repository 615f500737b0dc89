import { Hono } from 'hono';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** The figures of §18.1, as Prometheus reads them. */
export const metricsRoutes = ({ metricsText }: Pick<AppDependencies, 'metricsText'>) =>
  new Hono<AppEnvironment>().get('/metrics', async (c) => {
    if (metricsText === undefined) {
      return problem(c, { status: 404, code: 'NOT_FOUND', detail: 'this server keeps no figures' });
    }
    const { contentType, text } = await metricsText();
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' });
  });
