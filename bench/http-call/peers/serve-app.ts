import { serve } from '@hono/node-server';
import type { Hono } from 'hono';

/** Serves the app on 127.0.0.1 at the port in `PORT`, with the route by which the benchmark knows that it is up. */
export function serveApp(app: Hono): void {
  app.get('/healthz', (context) => context.text('ok'));
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT']) });
}
