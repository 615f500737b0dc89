// The client against a server process, whose model is asked over a real socket.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VCPClient, VcpProblem, VcpUnreachable } from '../../src/client/index.ts';
import { block } from '../support/chat-app.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
let upstream: Server;
let server: ServerProcess;
/** The messages of each request that the upstream got. */
const asked: { readonly model: string; readonly messages: readonly { role: string; content: string }[] }[] = [];
/** Answers that the upstream has begun and not ended. */
let open = 0;

beforeAll(async () => {
  const chunk = (content: string, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', model: 'gpt-4', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  upstream = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      if (request.url === '/v1/models') return void response.end('{"data":[{"id":"gpt-4","owned_by":"them"}]}');
      if (request.url === '/v1/embeddings') return void response.end(text);
      const body = JSON.parse(text) as (typeof asked)[number];
      asked.push(body);
      const last = body.messages.at(-1)?.content ?? '';
      open += 1;
      response.on('close', () => (open -= 1)).writeHead(200, { 'content-type': 'text/event-stream' });
      if (last.includes('without end')) return void response.write(chunk('I begin'));
      const said = last.includes('TOOL_RESULT') ? 'It says hello.' : block({ text: 'hello' }, 'WebSearch');
      response.end(`${chunk(said)}${chunk('', 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
  const { sha256 } = writePlugin(home.plugins, { name: 'WebSearch', module: 'main.mjs', moduleText: ECHO_MODULE });
  server = await startServerProcess(home, {
    VCP_UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    VCP_TRUSTED_MODULES: sha256 ?? '',
    // The overview's own name.
    WhitelistEmbeddingModel: 'Embedder',
  });
}, 60_000);

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  upstream.closeAllConnections();
  upstream.close();
  home.remove();
});

const clientOf = (more: object = {}) =>
  new VCPClient({ endpoint: server.url, apiKey: server.key, model: 'gpt-4', ...more });

it('runs the example of the overview', async () => {
  const vcpClient = clientOf();
  async function processUserRequest(userInput: string) {
    try {
      const response = await vcpClient.sendRequest({
        messages: [
          { role: 'system', content: 'You are a helpful assistant with access to various tools.' },
          { role: 'user', content: userInput },
        ],
        tools: ['WebSearch', 'CodeExecution', 'FileOperations'],
      });

      return response.content;
    } catch (error) {
      console.error('Error processing request:', error);
      throw error;
    }
  }
  asked.length = 0;
  expect(await processUserRequest('What does it say?')).toContain('It says hello.');
  expect(asked).toHaveLength(2);
  expect(asked[1]?.messages.at(-1)?.content).toContain('hello');
  const { records } = await vcpClient.listRecords();
  expect(records[0]).toMatchObject({ toolName: 'WebSearch', status: 'success' });
});

it('streams an answer, and leaving it ends the request of the upstream', async () => {
  const texts: string[] = [];
  for await (const event of clientOf().streamRequest({ messages: [{ role: 'user', content: 'What does it say?' }] }))
    if (event.type === 'text') texts.push(event.text);
  expect(texts.join('')).toContain('It says hello.');

  const endless = clientOf().streamRequest({ messages: [{ role: 'user', content: 'without end' }] });
  for await (const event of endless) {
    if (event.type !== 'text') continue;
    expect([event.text, open]).toEqual(['I begin', 1]);
    break;
  }
  await expect.poll(() => open).toBe(0);
});

it('interrupts a conversation by the name that it gave it', async () => {
  const client = clientOf();
  const requestId = 'req_01K00000000000000000000000';
  const waiting = client.sendRequest({ messages: [{ role: 'user', content: 'without end' }], requestId });
  await expect.poll(() => open).toBe(1);
  await client.interrupt(requestId);
  await waiting.then(
    ({ content }) => expect(content).toBe('I begin'),
    (error: unknown) => expect((error as VcpProblem).problem.code).toBe('INTERRUPTED'),
  );
  await expect.poll(() => open).toBe(0);
});

it('calls tools, keeps files and lists models, as the models of the white lists are listed', async () => {
  const client = clientOf();
  expect((await client.callTool('WebSearch', { text: 'hi' })).data).toEqual({ text: 'hi' });
  const descriptor = await client.uploadResource(new TextEncoder().encode('a note'), { fileName: 'note.txt' });
  expect(await new Response((await client.getResource(descriptor.id)).body).text()).toBe('a note');
  expect((await client.listModels()).map(({ id }) => id)).toEqual(['gpt-4', 'Embedder']);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('WebSearch');
});

it('has its embeddings passed byte for byte by a server process', async () => {
  const body = '{ "input":"x", "model":"EMBEDDER", "n":1.0 }';
  const response = await server.request('/v1/embeddings', { method: 'POST', body });
  expect([response.status, await response.text()]).toEqual([200, body]);
});

it('tells what it is not let do from a server that is not there', async () => {
  await expect(
    clientOf({ apiKey: 'wrong' }).sendRequest({ messages: [{ role: 'user', content: 'x' }] }),
  ).rejects.toThrow(VcpProblem);
  await expect(clientOf({ endpoint: 'http://127.0.0.1:1' }).listModels()).rejects.toThrow(VcpUnreachable);
});
