import type { MediaRules } from '../../ports/media-rules.ts';
import { notAttached, type CarriedPart } from './carried-media.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
};

/** OpenAI's Chat Completions: pictures by address or data URI, audio only as bytes. */
export const OPENAI_CHAT_MEDIA: MediaRules = { byUrl: IMAGES, byBytes: [...IMAGES, ...Object.keys(AUDIO_FORMATS)] };

export type OpenAiChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } };

/** The parts of a user's message. A message of the role `tool` takes only the text parts of them. */
export const toOpenAiChat = (parts: readonly CarriedPart[]): readonly OpenAiChatPart[] =>
  parts.map((part): OpenAiChatPart => {
    if (part.type === 'text') return part;
    const { media, resource } = part;
    if (media.by === 'nothing') return { type: 'text', text: notAttached(resource, media.reason) };
    if (media.kind === 'audio') {
      const data = media.by === 'bytes' ? media.base64 : '';
      return { type: 'input_audio', input_audio: { data, format: audioFormat(media.mimeType) } };
    }
    const url = media.by === 'url' ? media.url : `data:${media.mimeType};base64,${media.base64}`;
    return { type: 'image_url', image_url: { url } };
  });

/** OpenAI knows two formats; upstreams that speak otherwise take more, by the names that their types have. */
const audioFormat = (mimeType: string): string => AUDIO_FORMATS[mimeType] ?? mimeType.replace(/^audio\//, '');
