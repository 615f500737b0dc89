// The official SDK, second line: the 2026-07-28 protocol, stateless, by its own HTTP entry.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { echoTool } from './echo-tool.ts';
import { serveApp } from './serve-app.ts';

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(...echoTool);
    return server;
  },
  { legacy: 'reject' },
);

const app = new Hono();
app.all('/mcp', (context) => handler.fetch(context.req.raw));
serveApp(app);
