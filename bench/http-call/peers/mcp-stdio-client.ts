// The official SDK's client with a server on stdio, as a host would hold it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { fileURLToPath } from 'node:url';
import type { EchoInput, EchoOutput } from '../plugins/BenchEcho/bench-echo.mjs';

export type McpStdio = { call(input: EchoInput): Promise<EchoOutput>; close(): Promise<void> };

export async function openMcpStdio(): Promise<McpStdio> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('mcp-stdio-server.ts', import.meta.url))],
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  // With the listing known, the client checks structured answers against their schema, as ours are checked.
  await client.listTools();
  return {
    call: async (input) => {
      const result = await client.callTool({ name: 'BenchEcho', arguments: { ...input } });
      return result.structuredContent as EchoOutput;
    },
    close: () => client.close(),
  };
}
