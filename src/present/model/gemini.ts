import type { MediaRules } from '../../ports/media-rules.ts';
import { notAttached, type CarriedPart } from './carried-media.ts';

/** Gemini: media as bytes; its `fileData` names files that were uploaded to it, so no address of ours is passed. */
export const GEMINI_MEDIA: MediaRules = {
  byUrl: [],
  byBytes: [
    'image/png',
    'image/jpeg',
    'image/webp',
    'image/heic',
    'image/heif',
    'audio/wav',
    'audio/mp3',
    'audio/mpeg',
    'audio/aiff',
    'audio/aac',
    'audio/ogg',
    'audio/flac',
  ],
};

export type GeminiPart =
  | { readonly text: string }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly mimeType: string; readonly fileUri: string } };

/** The parts of one `Content`. */
export const toGemini = (parts: readonly CarriedPart[]): readonly GeminiPart[] =>
  parts.map((part): GeminiPart => {
    if (part.type === 'text') return { text: part.text };
    const { media, resource } = part;
    if (media.by === 'nothing') return { text: notAttached(resource, media.reason) };
    if (media.by === 'url') return { fileData: { mimeType: media.mimeType, fileUri: media.url } };
    return { inlineData: { mimeType: media.mimeType, data: media.base64 } };
  });
