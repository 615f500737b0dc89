// The least that a gateway can do: the body goes on as it came, and so does the answer.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const upstream = process.env['UPSTREAM_URL'] ?? '';

const app = new Hono()
  .get('/healthz', (c) => c.text('ok'))
  .post('/v1/chat/completions', async (c) => {
    const answer = await fetch(`${upstream}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await c.req.text(),
      signal: c.req.raw.signal,
    });
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': 'text/event-stream' } });
  });

serve({ fetch: app.fetch, port: Number(process.env['PORT']), hostname: '127.0.0.1' });
