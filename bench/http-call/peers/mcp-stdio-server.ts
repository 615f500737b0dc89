// The official SDK's server on stdio, one long-lived process for all calls.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { echo } from '../plugins/BenchEcho/bench-echo.mjs';
import { EchoInput, EchoOutput } from './echo-schemas.ts';

const server = new McpServer({ name: 'bench', version: '1.0.0' });
server.registerTool(
  'BenchEcho',
  { description: 'Bench Echo', inputSchema: EchoInput, outputSchema: EchoOutput },
  (input) => {
    const output = echo(input);
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: { ...output } };
  },
);
await server.connect(new StdioServerTransport());
