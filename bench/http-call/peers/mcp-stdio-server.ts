// The official SDK's server on stdio, one long-lived process for all calls.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { echoTool } from './echo-tool.ts';

const server = new McpServer({ name: 'bench', version: '1.0.0' });
server.registerTool(...echoTool);
await server.connect(new StdioServerTransport());
