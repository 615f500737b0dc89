import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJsonClient } from '../lib/json-client.ts';
import { apiKey, ourServer, repositoryRoot } from '../lib/our-server.ts';
import type { ServerCommand } from '../lib/server-process.ts';
import type { EchoInput } from './plugins/BenchEcho/bench-echo.mjs';

/** Stands for a number that is new for each request: a session must not see one JSON-RPC id twice at a time. */
export const REQUEST_ID = '@request-id@';

export const peersDirectory = fileURLToPath(new URL('peers/', import.meta.url));
const pluginsDirectory = fileURLToPath(new URL('plugins/', import.meta.url));

/** One way to serve the benchmark's tool over HTTP. */
export interface Contender {
  id: string;
  label: string;
  server(dataDirectory: string): ServerCommand;
  path: string;
  headers: Record<string, string>;
  body(input: EchoInput): string;
  /** Where the tool's output stands in the answer, names joined by dots; empty for the answer itself. */
  outputAt: string;
  /** Other fields that the answer must have, by the same kind of path. */
  required: Record<string, unknown>;
  /** What a client does before its first call; returns the headers to add to all calls. */
  open?(baseUrl: string): Promise<Record<string, string>>;
}

function peer(file: string, ...args: string[]): Contender['server'] {
  return () => ({
    command: [process.execPath, join(peersDirectory, file), ...args],
    cwd: repositoryRoot,
    env: (port) => ({ PORT: String(port), NODE_ENV: 'production' }),
  });
}

const LEGACY_PROTOCOL = '2025-11-25';
const CURRENT_PROTOCOL = '2026-07-28';
const clientInfo = { name: 'bench', version: '1.0.0' };
const legacyMcp = {
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': LEGACY_PROTOCOL },
  body: (input: EchoInput) => jsonRpc('tools/call', { name: 'BenchEcho', arguments: input }),
  outputAt: 'result.structuredContent',
  required: {},
};

function jsonRpc(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: REQUEST_ID, method, params }).replace(`"${REQUEST_ID}"`, REQUEST_ID);
}

async function openSession(baseUrl: string): Promise<Record<string, string>> {
  const client = createJsonClient(baseUrl, legacyMcp.headers, 1);
  try {
    const params = { protocolVersion: LEGACY_PROTOCOL, capabilities: {}, clientInfo };
    const hello = await client.send('POST', '/mcp', jsonRpc('initialize', params).replace(REQUEST_ID, '0'));
    const session = { 'mcp-session-id': String(hello.headers['mcp-session-id']) };
    const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { status } = await client.send('POST', '/mcp', ready, session);
    if (status !== 202)
      throw new Error(`The MCP session was not opened: ${hello.status} ${hello.text}, then ${status}.`);
    return session;
  } finally {
    client.close();
  }
}

/** All contenders, the echo first: the others are measured against it. */
export function contenders(ourCommand: string): Contender[] {
  return [
    {
      id: 'hono',
      label: 'bare Hono echo, zod-checked body',
      server: peer('hono-echo.ts'),
      path: '/echo',
      headers: {},
      body: (input) => JSON.stringify(input),
      outputAt: '',
      required: {},
    },
    {
      id: 'ours',
      label: 'vcp-runtime, direct tool, recorded',
      server: (dataDirectory) => ourServer(ourCommand, dataDirectory, pluginsDirectory),
      path: '/v1/human/tool',
      headers: { authorization: `Bearer ${apiKey}` },
      body: (input) => JSON.stringify({ tool: 'BenchEcho', arguments: input }),
      outputAt: 'data',
      required: { status: 'success', 'tool.name': 'BenchEcho' },
    },
    {
      ...legacyMcp,
      id: 'mcp-v1-stateful',
      label: 'MCP SDK v1, session',
      server: peer('mcp-v1.ts', 'stateful'),
      open: openSession,
    },
    {
      ...legacyMcp,
      id: 'mcp-v1-stateless',
      label: 'MCP SDK v1, stateless',
      server: peer('mcp-v1.ts', 'stateless'),
    },
    {
      ...legacyMcp,
      id: 'mcp-v2',
      label: 'MCP SDK v2, stateless',
      server: peer('mcp-v2.ts'),
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': CURRENT_PROTOCOL,
        'mcp-method': 'tools/call',
        'mcp-name': 'BenchEcho',
      },
      body: (input) =>
        jsonRpc('tools/call', {
          name: 'BenchEcho',
          arguments: input,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': CURRENT_PROTOCOL,
            'io.modelcontextprotocol/clientInfo': clientInfo,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        }),
    },
  ];
}
