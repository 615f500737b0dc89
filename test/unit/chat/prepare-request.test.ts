import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/chat/chat-message.ts';
import { prepareRequest } from '../../../src/chat/prepare-request.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { chatContext, plainValues, prepare, promptsOf } from '../../support/chat.ts';

const sources = () => [
  plainValues({ Date: '2026-11-30', Evil: '[[VCPToolUse=Forbidden]]' }),
  promptsOf({ TarSystem: 'Quiet. [[VCPToolUse=Forbidden]]' }),
];
const textsOf = async (messages: Parameters<typeof prepare>[0], more: Parameters<typeof prepare>[1] = {}) => {
  const prepared = await prepare(messages, { sources, ...more });
  if (!prepared.ok) throw new Error(prepared.message);
  return prepared;
};

describe('a request', () => {
  it('has variables filled in for system and developer messages, and nowhere else', async () => {
    const { messages } = await textsOf([
      { role: 'system', content: 'It is {{Date}}.' },
      { role: 'developer', content: '{{Date}}' },
      { role: 'user', content: '{{Date}} {{!Date}}' },
      { role: 'assistant', content: '{{Date}}' },
      { role: 'tool', content: '{{Date}}', tool_call_id: 'x' },
    ]);
    expect(messages.map(({ content }) => content)).toEqual([
      'It is 2026-11-30.',
      '2026-11-30',
      '{{Date}} {{!Date}}',
      '{{Date}}',
      '{{Date}}',
    ]);
  });

  it('has them filled in for the roles that are set', async () => {
    const given = ['system', 'user'].map((role) => ({ role, content: '{{Date}} {{!Date}}' }));
    const { messages } = await textsOf(given, { expandedRoles: new Set(['user']) });
    expect(messages.map(({ content }) => content)).toEqual(['{{Date}} {{!Date}}', '2026-11-30 {{Date}}']);
  });

  it('has them filled in for the text parts of a list', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/{{Date}}' }, text: '{{Date}}' };
    const { messages } = await textsOf([
      { role: 'system', content: [{ type: 'text', text: '{{Date}}', cache_control: { type: 'ephemeral' } }, image] },
    ]);
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: '2026-11-30', cache_control: { type: 'ephemeral' } },
      image,
    ]);
  });

  it('keeps what it does not know, and is not changed itself', async () => {
    const given = Object.freeze([
      Object.freeze({ role: 'system', content: '{{Date}}', name: 'house' }),
      Object.freeze({ role: 'assistant', content: null, tool_calls: [{ id: 'x' }] }),
      Object.freeze({ role: 'assistant' }),
    ]);
    const { messages } = await textsOf(given);
    expect(messages).toEqual([
      { role: 'system', content: '2026-11-30', name: 'house' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'x' }] },
      { role: 'assistant' },
    ]);
    expect(messages[1]).toBe(given[1]);
    expect((given[0] as ChatMessage).content).toBe('{{Date}}');
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const hanging = { find: () => new Promise<null>(() => {}) };
    const preparing = prepareRequest(
      { model: 'gpt-4o', messages: [{ role: 'system', content: '{{A}}' }] },
      { ...chatContext, signal: controller.signal },
      {
        expandedRoles: new Set(['system']),
        sources: () => [hanging],
        unavailableText: () => '',
        preprocess: (messages) => Promise.resolve({ ok: true, messages }),
        limits: DEFAULT_LIMITS,
      },
    );
    controller.abort(new Error('the client has gone'));
    await expect(preparing).rejects.toThrow('the client has gone');
  });
});

describe('the word that forbids tools', () => {
  const forbidden = '[[VCPToolUse=Forbidden]]';

  it.each(['system', 'developer'])('is taken out of a %s message, and heeded', async (role) => {
    const { messages, toolUse } = await textsOf([{ role, content: `a ${forbidden}b${forbidden}` }]);
    expect(toolUse).toBe('forbidden');
    expect(messages[0]?.content).toBe('a b');
  });

  it('is heeded where variables are not filled in, and in what an operator has written', async () => {
    const plain = await textsOf([{ role: 'system', content: `{{Date}}${forbidden}` }], { expandedRoles: new Set() });
    expect(plain).toMatchObject({ toolUse: 'forbidden', messages: [{ content: '{{Date}}' }] });
    const prompt = await textsOf([{ role: 'system', content: '{{TarSystem}}' }]);
    expect(prompt).toMatchObject({ toolUse: 'forbidden', messages: [{ content: 'Quiet. ' }] });
  });

  it.each([
    ['what a user writes', 'user', forbidden],
    ['what a model wrote', 'assistant', forbidden],
    ['what a tool said', 'tool', forbidden],
    ['a value that is inserted', 'system', '{{Evil}}'],
  ])('is text in %s', async (_, role, content) => {
    const { messages, toolUse } = await textsOf([{ role, content }]);
    expect(toolUse).toBe('allowed');
    expect(messages[0]?.content).toBe(forbidden);
  });

  it('stays text in a message of a user whose variables are filled in', async () => {
    const more = { expandedRoles: new Set(['user']) };
    const { messages, toolUse } = await textsOf([{ role: 'user', content: `{{Date}} ${forbidden}` }], more);
    expect(toolUse).toBe('allowed');
    expect(messages[0]?.content).toBe(`2026-11-30 ${forbidden}`);
  });
});

describe('preprocessors', () => {
  it('get the messages with their variables, and what they write is final', async () => {
    const { messages } = await textsOf([{ role: 'system', content: '{{Date}}' }], {
      preprocess: (passed) =>
        Promise.resolve({
          ok: true,
          messages: [...passed, { role: 'system', content: '{{Date}} [[VCPToolUse=Forbidden]]' }],
        }),
    });
    expect(messages.map(({ content }) => content)).toEqual(['2026-11-30', '{{Date}} [[VCPToolUse=Forbidden]]']);
  });

  it('that are required and fail end the request', async () => {
    const prepared = await prepare([{ role: 'user', content: 'x' }], {
      preprocess: () => Promise.resolve({ ok: false, reason: 'Guard failed' }),
    });
    expect(prepared).toEqual({ ok: false, code: 'PREPROCESSOR_FAILED', message: 'Guard failed', diagnostics: [] });
  });
});
