import type { MediaRules } from '../../ports/media-rules.ts';
import { notAttached, type CarriedPart } from './carried-media.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Anthropic's Messages: pictures by address or as bytes, and no audio. */
export const ANTHROPIC_MEDIA: MediaRules = { byUrl: IMAGES, byBytes: IMAGES };

export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source:
        | { readonly type: 'url'; readonly url: string }
        | { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

/** The content of a message, or of a `tool_result` block. */
export const toAnthropic = (parts: readonly CarriedPart[]): readonly AnthropicBlock[] =>
  parts.map((part): AnthropicBlock => {
    if (part.type === 'text') return part;
    const { media, resource } = part;
    if (media.by === 'nothing') return { type: 'text', text: notAttached(resource, media.reason) };
    if (media.by === 'url') return { type: 'image', source: { type: 'url', url: media.url } };
    return { type: 'image', source: { type: 'base64', media_type: media.mimeType, data: media.base64 } };
  });
