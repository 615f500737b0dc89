import { Hono } from 'hono';
import { echo } from '../plugins/BenchEcho/bench-echo.mjs';
import { EchoInput } from './echo-schemas.ts';
import { serveApp } from './serve-app.ts';

const app = new Hono();

app.post('/echo', async (context) => {
  const input = EchoInput.safeParse(await context.req.json());
  return input.success ? context.json(echo(input.data)) : context.json({ error: input.error.issues }, 400);
});

serveApp(app);
