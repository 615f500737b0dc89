// The official SDK, first line (2025 protocol), once with a session and once, by `stateless`, with a new server and
// transport for each request, as the SDK's own examples do it. JSON answers, its faster mode; the default is SSE.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import { echoTool } from './echo-tool.ts';
import { serveApp } from './serve-app.ts';

function createServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool(...echoTool);
  return server;
}

async function handleStateless(request: Request): Promise<Response> {
  const server = createServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const response = await transport.handleRequest(request);
  await server.close();
  return response;
}

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function handleStateful(request: Request): Promise<Response> {
  const session = sessions.get(request.headers.get('mcp-session-id') ?? '');
  if (session) return session.handleRequest(request);
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await createServer().connect(transport);
  return transport.handleRequest(request);
}

const handle = process.argv[2] === 'stateless' ? handleStateless : handleStateful;
const app = new Hono();
app.all('/mcp', (context) => handle(context.req.raw));
serveApp(app);
