import { describe, expect, it } from 'vitest';
import { ANTHROPIC_MEDIA, toAnthropic } from '../../../src/present/model/anthropic.ts';
import { carryMedia, type MediaPorts } from '../../../src/present/model/carried-media.ts';
import type { MediaRules } from '../../../src/ports/media-rules.ts';
import { GEMINI_MEDIA, toGemini } from '../../../src/present/model/gemini.ts';
import { OPENAI_CHAT_MEDIA, toOpenAiChat } from '../../../src/present/model/openai-chat.ts';
import { OPENAI_RESPONSES_MEDIA, toOpenAiResponses } from '../../../src/present/model/openai-responses.ts';
import { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { aiViewOf } from '../../support/ai-view.ts';
import { descriptor } from '../../support/sample-values.ts';

const idOf = (n: number) => `res_01JABCDEFGHJKMNPQRSTVWXY0${n}`;
const picture = descriptor({ id: idOf(1), sizeBytes: 5 });
const song = descriptor({ id: idOf(2), kind: 'audio', mimeType: 'audio/mpeg', fileName: 'a.mp3', sizeBytes: 5 });
const drawing = descriptor({ id: idOf(3), mimeType: 'image/svg+xml', fileName: 'a.svg', sizeBytes: 5 });
const resources = [picture, song, drawing].map((resource) => ResourceDescriptor.parse(resource));
const view = aiViewOf({ data: 'words', resources }, { modelCapabilities: { vision: true, audio: true } });

const HELLO = 'aGVsbG8=';
const read: string[] = [];
const ports = (url: string | null): MediaPorts => ({
  urlOf: ({ id }) => (url === null ? null : `${url}/${id}?sig=x`),
  readBytes: async ({ id }) => {
    read.push(id);
    return new TextEncoder().encode('hello');
  },
});
const carried = (rules: MediaRules, url: string | null, maxInlineBytes?: number) => {
  read.length = 0;
  return carryMedia(view, resources, rules, ports(url), maxInlineBytes);
};
const SVG = `(${idOf(3)} is not attached: image/svg+xml is not taken by this model's interface)`;
const words = view.text;

describe('the parts of a message', () => {
  it('have pictures by address where the vendor fetches it, and no bytes are read', async () => {
    const url = 'https://vcp.example/v1/resources';
    expect(toAnthropic(await carried(ANTHROPIC_MEDIA, url))).toEqual([
      { type: 'text', text: words },
      { type: 'image', source: { type: 'url', url: `${url}/${idOf(1)}?sig=x` } },
      { type: 'text', text: `(${idOf(2)} is not attached: audio/mpeg is not taken by this model's interface)` },
      { type: 'text', text: SVG },
    ]);
    expect(toOpenAiResponses(await carried(OPENAI_RESPONSES_MEDIA, url))[1]).toEqual({
      type: 'input_image',
      image_url: `${url}/${idOf(1)}?sig=x`,
      detail: 'auto',
    });
    expect(read).toEqual([]);
  });

  it('have Base64 that is read now where there is no address', async () => {
    expect(toAnthropic(await carried(ANTHROPIC_MEDIA, null))[1]).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: HELLO },
    });
    expect(read).toEqual([idOf(1)]);
    expect(toOpenAiResponses(await carried(OPENAI_RESPONSES_MEDIA, null))[1]).toMatchObject({
      image_url: `data:image/png;base64,${HELLO}`,
    });
  });

  it('are those of OpenAI’s chat: audio as bytes beside a picture by address', async () => {
    expect(toOpenAiChat(await carried(OPENAI_CHAT_MEDIA, 'https://vcp.example'))).toEqual([
      { type: 'text', text: words },
      { type: 'image_url', image_url: { url: `https://vcp.example/${idOf(1)}?sig=x` } },
      { type: 'input_audio', input_audio: { data: HELLO, format: 'mp3' } },
      { type: 'text', text: SVG },
    ]);
    expect(read).toEqual([idOf(2)]);
  });

  it('are those of Gemini: everything as bytes', async () => {
    expect(toGemini(await carried(GEMINI_MEDIA, 'https://vcp.example'))).toEqual([
      { text: words },
      { inlineData: { mimeType: 'image/png', data: HELLO } },
      { inlineData: { mimeType: 'audio/mpeg', data: HELLO } },
      { text: SVG },
    ]);
  });

  it('say why a resource is not attached: too large, or gone', async () => {
    const [, large] = toGemini(await carried(GEMINI_MEDIA, null, 4));
    expect(large).toEqual({ text: `(${idOf(1)} is not attached: it is larger than 4 bytes)` });
    expect(read).toEqual([]);
    const gone = await carryMedia(view, resources, GEMINI_MEDIA, { urlOf: () => null, readBytes: async () => null });
    expect(toGemini(gone)[1]).toEqual({
      text: `(${idOf(1)} is not attached: its bytes are not there any more)`,
    });
  });

  it('carry any bytes unchanged', async () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, n) => (n * 7) % 256);
    const parts = await carryMedia(view, resources, GEMINI_MEDIA, { urlOf: () => null, readBytes: async () => bytes });
    const part = toGemini(parts)[1] as { inlineData: { data: string } };
    expect(Uint8Array.from(atob(part.inlineData.data), (c) => c.charCodeAt(0))).toEqual(bytes);
  });
});
