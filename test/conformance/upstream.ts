import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const UPSTREAM_KEY = 'sk-upstream-of-the-conformance-run';

type Message = { readonly role: string; readonly content?: unknown };
type Asked = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
};

/**
 * A server that speaks as OpenAI's does, with models that do what their name says: `text-caller` calls PayloadEcho by a
 * block, `function-caller` by a function, and both then repeat what they were told last; `talker` repeats everything.
 */
export const startUpstream = async () => {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${UPSTREAM_KEY}`) return answerError(response, 401, 'wrong key');
    if (request.url?.endsWith('/models'))
      return answerJson(response, { object: 'list', data: ['talker', 'text-caller'].map(modelOf) });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Asked & { readonly input?: string };
      if (request.url?.endsWith('/embeddings')) answerJson(response, { object: 'list', data: [], heard: body.input });
      else answerChat(response, body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    /** What a server is configured with that is to ask it. */
    variables: {
      VCP_UPSTREAM_URL: url,
      VCP_UPSTREAM_KEY: UPSTREAM_KEY,
      VCP_WHITELIST_EMBEDDING_MODELS: 'embedder',
      VarGreeting: 'Be brief.',
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const modelOf = (id: string) => ({ id, object: 'model', created: 1, owned_by: 'tests' });

const answerChat = (response: ServerResponse, { model, messages, stream, tools = [] }: Asked): void => {
  if (model === 'overloaded') return answerError(response, 429, 'too many people talk to me');
  const answered = messages.some(({ role }) => role === 'assistant');
  // Who repeats the guide to the tools calls them.
  const heard = model === 'talker' ? messages : messages.slice(-1);
  const told = JSON.stringify(heard.map(({ content }) => content));
  const echo = tools.find(({ function: { name } }) => name.includes('PayloadEcho'))?.function.name;
  if (model === 'text-caller' && !answered) return say(response, stream, { content: `Wait.\n${BLOCK}` });
  if (model === 'function-caller' && !answered && echo !== undefined)
    return say(response, stream, {
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: echo, arguments: ARGUMENTS } }],
    });
  return say(response, stream, { content: `I heard ${told}` });
};

const PAYLOAD = { status: 'success', data: { word: 'marzipan' } };
const ARGUMENTS = JSON.stringify({ command: 'Answer', payload: PAYLOAD });
/** Arguments of a block are text. */
const BLOCK = [
  '<<<[TOOL_REQUEST]>>>',
  'tool_name:「始」PayloadEcho「末」',
  'command:「始」WriteResource「末」',
  'text:「始」marzipan「末」',
  '<<<[END_TOOL_REQUEST]>>>',
].join('\n');

const say = (
  response: ServerResponse,
  stream: boolean | undefined,
  said: { readonly content?: string; readonly tool_calls?: readonly object[] },
): void => {
  const finish_reason = said.tool_calls === undefined ? 'stop' : 'tool_calls';
  const head = { id: 'chatcmpl-1', created: 1, model: 'as-asked' };
  if (stream !== true) {
    const message = { role: 'assistant', content: null, ...said };
    return answerJson(response, {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
    });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, reason: string | null) =>
    response.write(
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
    );
  // In pieces that end anywhere, as those of models do.
  for (const piece of said.content?.match(/[^]{1,7}/gu) ?? []) chunk({ content: piece }, null);
  if (said.tool_calls !== undefined) chunk({ tool_calls: said.tool_calls }, null);
  chunk({}, finish_reason);
  response.end('data: [DONE]\n\n');
};

const answerJson = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const answerError = (response: ServerResponse, status: number, message: string): void =>
  answerJson(response, { error: { message, type: 'x', code: null } }, status);
