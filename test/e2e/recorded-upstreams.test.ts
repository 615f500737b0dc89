// A whole server between the official library of OpenAI and upstreams that answer as the three vendors do.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { base64Of, MAGIC } from '../support/sample-values.ts';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

/** Long enough for a server to start on a busy machine. */
const START_MS = 60_000;

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly text: string };

/** An upstream that answers each request with the next of its answers. */
const createRecordedUpstream = async () => {
  const asked: { readonly path: string; readonly body: JsonObject }[] = [];
  const answers: Answer[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', body: JSON.parse(text) as JsonObject });
      const answer = answers.shift() ?? { status: 400, text: '{"error":{"message":"nothing is left to say"}}' };
      const type = (answer.status ?? 200) === 200 ? 'text/event-stream' : 'application/json';
      response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers });
      // In small pieces, cut wherever: a network does the same.
      const bytes = Buffer.from(answer.text);
      for (let at = 0; at < bytes.length; at += 700) response.write(bytes.subarray(at, at + 700));
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers,
    close: () => new Promise((done) => server.close(done)),
  };
};

const WEATHER = `export const processToolCall = (args) => ({
  status: 'success',
  data: { city: args.city ?? 'nowhere', sky: 'clear' },
  resources: [{ id: 'sky', fileName: 'sky.png', base64: '${base64Of(MAGIC.png)}' }],
});
`;
const TIME = `export const processToolCall = () => ({ status: 'success', data: { time: 'noon' } });\n`;

const home = temporaryHome();
const trusted = [
  writePlugin(home.plugins, { name: 'get_weather', module: 'weather.mjs', moduleText: WEATHER }).sha256,
  writePlugin(home.plugins, { name: 'get_time', module: 'time.mjs', moduleText: TIME }).sha256,
].join(',');
afterAll(() => home.remove());

const vendors = [
  {
    kind: 'openai',
    native: 'tool-calls.txt',
    path: '/v1/chat/completions',
    visible: '',
    results: ({ messages }: JsonObject) => (messages as JsonObject[]).filter(({ role }) => role === 'tool'),
    picture: 'data:image/png;base64,',
  },
  {
    kind: 'anthropic',
    native: 'tool-use.txt',
    path: '/v1/messages',
    visible: 'I look.\n\n',
    results: ({ messages }: JsonObject) =>
      ((messages as JsonObject[]).at(-1)!['content'] as JsonObject[]).filter(({ type }) => type === 'tool_result'),
    picture: '"media_type":"image/png"',
  },
  {
    kind: 'gemini',
    native: 'function-call.txt',
    path: '/v1beta/models/any:streamGenerateContent?alt=sse',
    visible: '',
    results: ({ contents }: JsonObject) =>
      (contents as JsonObject[])
        .flatMap(({ parts }) => parts as JsonObject[])
        .filter((part) => part['functionResponse'] !== undefined),
    picture: '"mimeType":"image/png"',
  },
] as const;

describe.each(vendors)(
  'an upstream that answers as $kind does',
  ({ kind, native, path, visible, results, picture }) => {
    let upstream: Awaited<ReturnType<typeof createRecordedUpstream>>;
    let server: ServerProcess;
    let client: OpenAI;
    const recorded = (name: string): Answer => ({
      text: readFileSync(join(repositoryRoot, 'test/fixtures/model-streams', kind, name), 'utf8'),
    });
    const question = { model: 'any', messages: [{ role: 'user' as const, content: 'Weather and time?' }] };
    const nativeTools = { vcp: { toolUse: 'native' } } as object;

    beforeAll(async () => {
      upstream = await createRecordedUpstream();
      server = await startServerProcess(
        { ...home, data: join(home.root, `data-${kind}`) },
        {
          VCP_TRUSTED_MODULES: trusted,
          VCP_UPSTREAM_URL: upstream.url,
          VCP_UPSTREAM_KIND: kind,
          VCP_DATA_DIR: join(home.root, `data-${kind}`),
        },
      );
      client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
    }, START_MS);
    afterEach(() => {
      upstream.asked.length = 0;
      upstream.answers.length = 0;
    });
    afterAll(async () => {
      server.kill('SIGTERM');
      await server.exit;
      await upstream.close();
    }, START_MS);

    it('has its blocks run, the results told to it, and the rest streamed to the client', async () => {
      upstream.answers.push(recorded('tool-request.txt'), recorded('text.txt'));
      const stream = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } });
      const final = await stream.finalChatCompletion();
      expect(final.choices[0]?.message.content).toBe('I look.\n\nGrüße aus 北京 🌦️!');
      expect(final.choices[0]?.finish_reason).toBe('stop');
      expect(upstream.asked.map((request) => request.path)).toEqual([path, path]);
      const second = JSON.stringify(upstream.asked[1]?.body);
      expect(second).toContain('[TOOL_RESULT get_weather]');
      expect(second).toContain('Paris');
      expect(second).toContain(picture);
      // 11 and 31 of the first answer, and what the second one says.
      expect(final.usage?.prompt_tokens).toBeGreaterThan(11);
      expect(final.usage?.completion_tokens).toBeGreaterThan(31);
      const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = final.usage!;
      expect(total).toBe(prompt + completion);
    });

    it('gives the same as one whole answer', async () => {
      upstream.answers.push(recorded('tool-request.txt'), recorded('text.txt'));
      const answer = await client.chat.completions.create(question);
      expect(answer.choices[0]?.message.content).toBe('I look.\n\nGrüße aus 北京 🌦️!');
      expect(answer.id).toMatch(/^chatcmpl-req_/);
    });

    it('calls our tools in its own way, and goes on from their results', async () => {
      upstream.answers.push(recorded(native), recorded('text.txt'));
      const stream = await client.chat.completions.create({ ...question, ...nativeTools, stream: true });
      let content = '';
      const reasons: string[] = [];
      for await (const { choices } of stream) {
        content += choices[0]?.delta.content ?? '';
        expect(choices[0]?.delta.tool_calls).toBeUndefined();
        if (choices[0]?.finish_reason) reasons.push(choices[0].finish_reason);
      }
      expect(content).toBe(`${visible}Grüße aus 北京 🌦️!`);
      expect(reasons).toEqual(['stop']);
      const told = results(upstream.asked[1]!.body);
      expect(told).toHaveLength(2);
      expect(JSON.stringify(told[0])).toContain('Paris');
      expect(JSON.stringify(told[1])).toContain('noon');
    });

    it('ends a stream with an error and one [DONE] when it fails in a later round', async () => {
      upstream.answers.push(recorded('tool-request.txt'), { status: 400, text: '{"error":{"message":"too long"}}' });
      const response = await server.request('/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify({ ...question, stream: true }),
      });
      const lines = (await response.text()).trim().split('\n\n');
      expect(lines.at(-1)).toBe('data: [DONE]');
      expect(lines.filter((line) => line === 'data: [DONE]')).toHaveLength(1);
      expect(JSON.parse(lines.at(-2)!.slice('data: '.length))).toMatchObject({ error: { code: 'UPSTREAM_REFUSED' } });
    });

    it('is asked again when it is busy', async () => {
      upstream.answers.push({ status: 429, headers: { 'retry-after': '0' }, text: '{}' }, recorded('text.txt'));
      const answer = await client.chat.completions.create(question);
      expect(answer.choices[0]?.message.content).toBe('Grüße aus 北京 🌦️!');
      expect(upstream.asked).toHaveLength(2);
    });

    it('leaves records of the calls, and figures', async () => {
      const { records } = (await (await server.request('/v1/records')).json()) as {
        records: { toolName: string; source: string; requestId: string }[];
      };
      expect(new Set(records.map(({ source }) => source))).toEqual(new Set(['ai-loop']));
      const { requestId } = records[0]!;
      expect(server.stderr()).toMatch(
        new RegExp(`chat\\.started[^\\n]*${requestId}|${requestId}[^\\n]*chat\\.started`),
      );
      const metrics = await (await server.request('/metrics')).text();
      expect(metrics).toMatch(/vcp_chats_total\{outcome="finished"\} 4/);
      expect(metrics).toMatch(/vcp_chats_total\{outcome="upstream-failed"\} 1/);
    });
  },
);
