import { expect, it, onTestFinished } from 'vitest';
import { openSocketClient } from '../../support/socket-client.ts';
import type { Caller } from '../target.ts';

/** The address of what the tool has written, in what the model was told. */
const RESOURCE = /\/v1\/resources\/res_[0-9A-Z]{26}/;

type Completion = { choices: { message: { content: string } }[] };

/** Conversations with a model that has the server's tools (§17.6), before an upstream on a socket. */
export const chatScenarios = ({ request, getJson, socketUrl, apiKey }: Caller): void => {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const chat = (model: string, more: object = {}) =>
    post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Go on.' }], ...more });
  const wholeText = async (response: Response): Promise<string> => {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    return ((await response.json()) as Completion).choices[0]?.message.content ?? '';
  };
  const streamedText = async (response: Response): Promise<string> => {
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events.at(-1)).toBe('data: [DONE]');
    const deltas = events.slice(0, -1).map((event) => {
      const { choices } = JSON.parse(event.slice(6)) as { choices: { delta: { content?: string } }[] };
      return choices[0]?.delta.content ?? '';
    });
    return deltas.join('');
  };

  it('runs the call that a model writes, and feeds its result back', async () => {
    const text = await wholeText(await chat('text-caller'));
    expect(text).toContain('Wait.');
    expect(text).toContain('I heard');
    expect(text).toMatch(RESOURCE);
    expect(text).not.toContain('<<<[TOOL_REQUEST]>>>');
  });

  it('does so while it streams', async () => {
    const text = await streamedText(await chat('text-caller', { stream: true }));
    expect(text.startsWith('Wait.')).toBe(true);
    expect(text).toMatch(RESOURCE);
  });

  it('runs the function that a model calls', async () => {
    const vcp = { toolUse: 'native' };
    expect(await wholeText(await chat('function-caller', { vcp }))).toContain('marzipan');
    expect(await streamedText(await chat('function-caller', { vcp, stream: true }))).toContain('marzipan');
  });

  it('fills in what the operator has written, and the tools', async () => {
    const messages = [
      { role: 'system', content: '{{VarGreeting}} {{VCPAllTools}}' },
      { role: 'user', content: '{{VarGreeting}}' },
    ];
    const text = await wholeText(await chat('talker', { messages }));
    expect(text).toContain('Be brief.');
    expect(text).toContain('PayloadEcho');
    // Only the operator's messages are filled in.
    expect(text).toContain('{{VarGreeting}}');
  });

  it('pushes the reply to whoever watches with the same key', async () => {
    const client = await openSocketClient(socketUrl('/v1/ws?types=ai_message'), {
      authorization: `Bearer ${apiKey()}`,
    });
    onTestFinished(() => client.socket.terminate());
    const text = await streamedText(await chat('talker', { stream: true, vcp: { toolUse: 'off' } }));
    const { data } = await client.next(({ type }) => type === 'ai_message');
    expect(data).toMatchObject({ model: 'talker', text, isLast: true });
  });

  it('lists models, and lets embeddings pass', async () => {
    const { data } = await getJson<{ data: { id: string }[] }>('/v1/models');
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['talker', 'text-caller', 'embedder']));
    const answer = await post('/v1/embeddings', { model: 'embedder', input: 'a word' });
    expect(await answer.json()).toEqual({ object: 'list', data: [], heard: 'a word' });
  });

  it('tells in OpenAI’s words what goes wrong', async () => {
    const wrong = await post('/v1/chat/completions', {}, { authorization: 'Bearer wrong' });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }]);
    const invalid = await chat('talker', { messages: [] });
    expect([invalid.status, await invalid.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    const overloaded = await chat('overloaded');
    expect([overloaded.status, await overloaded.json()]).toMatchObject([
      429,
      { error: { message: expect.stringContaining('too many people talk to me') } },
    ]);
  });
};
