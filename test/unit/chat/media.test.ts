import { describe, expect, it } from 'vitest';
import { carryMedia } from '../../../src/present/model/carried-media.ts';
import { toOpenAiChat } from '../../../src/present/model/openai-chat.ts';
import type { AiView } from '../../../src/present/ai/ai-view.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { answered, asking, never, upstreamOf } from '../../support/upstream.ts';

const ANSWERS = {
  openai: { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] },
  anthropic: { type: 'message', content: [], stop_reason: 'end_turn' },
  gemini: { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] },
};

/** What one resource of this type becomes on its way through the rules of the upstream, its words included. */
const sentFor = async (kind: keyof typeof ANSWERS, mimeType: string, url: string | null = null): Promise<unknown> => {
  const { model, sent } = upstreamOf(kind, [answered(200, ANSWERS[kind])]);
  const type = mimeType.startsWith('audio/') ? 'audio' : 'image';
  const view = { content: [{ type, resourceId: 'res_1' }] } as unknown as AiView;
  const resource = { id: 'res_1', mimeType, sizeBytes: 3 } as ResourceDescriptor;
  const parts = await carryMedia(view, [resource], model.mediaRules, {
    urlOf: () => url,
    readBytes: async () => Uint8Array.of(0, 0, 0),
  });
  await model.complete(asking({ messages: [{ role: 'user', content: toOpenAiChat(parts) }] }), { signal: never });
  const body = sent[0]!.body as { messages?: { content: unknown[] }[]; contents?: { parts: unknown[] }[] };
  return (body.messages?.[0]?.content ?? body.contents?.[0]?.parts)?.[0];
};

describe('a resource on its way to a model', () => {
  it.each([
    ['image/png', 'image/png'],
    ['image/heic', 'image/heic'],
    ['audio/mpeg', 'audio/mp3'],
    ['audio/wav', 'audio/wav'],
    ['audio/ogg', 'audio/ogg'],
    ['audio/flac', 'audio/flac'],
    ['audio/aiff', 'audio/aiff'],
    ['audio/aac', 'audio/aac'],
  ])('of the type %s reaches Gemini as %s', async (mimeType, named) => {
    expect(await sentFor('gemini', mimeType)).toEqual({ inlineData: { mimeType: named, data: 'AAAA' } });
  });

  it('reaches Anthropic as a picture, by its address or its bytes', async () => {
    expect(await sentFor('anthropic', 'image/webp')).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/webp', data: 'AAAA' },
    });
    expect(await sentFor('anthropic', 'image/png', 'https://vcp.example/a')).toEqual({
      type: 'image',
      source: { type: 'url', url: 'https://vcp.example/a' },
    });
  });

  it('reaches OpenAI as a picture or as audio', async () => {
    expect(await sentFor('openai', 'image/gif')).toEqual({
      type: 'image_url',
      image_url: { url: 'data:image/gif;base64,AAAA' },
    });
    expect(await sentFor('openai', 'audio/x-wav')).toEqual({
      type: 'input_audio',
      input_audio: { data: 'AAAA', format: 'wav' },
    });
  });

  it.each([
    ['anthropic', 'audio/mpeg'],
    ['openai', 'audio/ogg'],
    ['gemini', 'image/gif'],
  ] as const)('that %s does not take (%s) is told of in its place', async (kind, mimeType) => {
    const told = `(res_1 is not attached: ${mimeType} is not taken by this model's interface)`;
    expect(JSON.stringify(await sentFor(kind, mimeType))).toContain(told);
  });
});
