import type { MediaRules } from '../../ports/media-rules.ts';
import { notAttached, type CarriedPart } from './carried-media.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** OpenAI's Responses: pictures by address or data URI, and no audio. */
export const OPENAI_RESPONSES_MEDIA: MediaRules = { byUrl: IMAGES, byBytes: IMAGES };

export type OpenAiResponsesPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' };

/** The content of a message, or the output of a `function_call_output`. */
export const toOpenAiResponses = (parts: readonly CarriedPart[]): readonly OpenAiResponsesPart[] =>
  parts.map((part): OpenAiResponsesPart => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    const { media, resource } = part;
    if (media.by === 'nothing') return { type: 'input_text', text: notAttached(resource, media.reason) };
    const url = media.by === 'url' ? media.url : `data:${media.mimeType};base64,${media.base64}`;
    return { type: 'input_image', image_url: url, detail: 'auto' };
  });
