import { lookup } from 'mrmime';
import type { JsonObject } from '../../../protocol/json.ts';
import { dataUriParts } from '../data-uri-parts.ts';
import type { PlacedPart } from '../message-parts.ts';
import type { Mapping, Path } from '../request-field.ts';

/** One part of a message as a part of Gemini's. */
export const toGeminiPart = ({ part, path }: PlacedPart, mapping: Mapping): JsonObject => {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
      return imagePart(part.url, [...path, 'image_url', 'url'], mapping);
    case 'audio':
      return { inlineData: { mimeType: `audio/${part.format.toLowerCase()}`, data: part.base64 } };
    case 'file': {
      const data = dataUriParts(part.dataUri);
      if (data === null)
        throw mapping.refused(
          [...path, 'file'],
          "must have its bytes in file_data, a data URI in Base64: ids of files are another vendor's",
        );
      return { inlineData: { mimeType: data.mimeType, data: data.base64 } };
    }
  }
};

/** Gemini fetches addresses by itself, and wants to be told the media type, which only the name can tell here. */
const imagePart = (url: string, path: Path, mapping: Mapping): JsonObject => {
  const data = dataUriParts(url);
  if (data !== null) return { inlineData: { mimeType: data.mimeType, data: data.base64 } };
  const address = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  const mimeType = address === null ? undefined : lookup(address.pathname);
  if (mimeType?.startsWith('image/') === true) return { fileData: { mimeType, fileUri: url } };
  throw mapping.refused(
    path,
    'must be a data URI in Base64, or an address whose name ends like a picture (.png, .jpg, .webp)',
  );
};
