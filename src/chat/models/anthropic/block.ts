import { decodeBase64 } from '../../../lib/base64.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { ANTHROPIC_MEDIA } from '../../../present/model/anthropic.ts';
import { dataUriParts } from '../data-uri-parts.ts';
import type { PlacedPart } from '../message-parts.ts';
import type { Mapping, Path } from '../request-field.ts';

/** One part of a message as a block of Anthropic's. */
export const toAnthropicBlock = ({ part, path }: PlacedPart, mapping: Mapping): JsonObject => {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: imageSource(part.url, path, mapping) };
    case 'file':
      return documentOf(part, path, mapping);
    case 'audio':
      throw mapping.refused(path, 'cannot be given to this upstream: it takes no audio');
  }
};

const imageSource = (url: string, path: Path, mapping: Mapping): JsonObject => {
  if (/^https?:\/\//i.test(url)) return { type: 'url', url };
  const data = dataUriParts(url);
  if (data === null)
    throw mapping.refused([...path, 'image_url', 'url'], 'must be an https address or a data URI in Base64');
  const mimeType = data.mimeType === 'image/jpg' ? 'image/jpeg' : data.mimeType;
  if (!ANTHROPIC_MEDIA.byBytes.includes(mimeType))
    throw mapping.refused(
      [...path, 'image_url', 'url'],
      `must be ${ANTHROPIC_MEDIA.byBytes.join(', ')} with this upstream`,
    );
  return { type: 'base64', media_type: mimeType, data: data.base64 };
};

const documentOf = (
  file: { readonly name: string; readonly dataUri: string },
  path: Path,
  mapping: Mapping,
): JsonObject => {
  const data = dataUriParts(file.dataUri);
  if (data === null)
    throw mapping.refused(
      [...path, 'file'],
      "must have its bytes in file_data, a data URI in Base64: ids of files are another vendor's",
    );
  const title = file.name === '' ? {} : { title: file.name };
  if (data.mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: data.base64 }, ...title };
  if (ANTHROPIC_MEDIA.byBytes.includes(data.mimeType))
    return { type: 'image', source: { type: 'base64', media_type: data.mimeType, data: data.base64 } };
  const text = data.mimeType.startsWith('text/') ? decodedText(data.base64) : null;
  if (text === null)
    throw mapping.refused([...path, 'file'], 'must be a PDF, a picture or a text in UTF-8 with this upstream');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...title };
};

const decodedText = (base64: string): string | null => {
  const decoded = decodeBase64(base64);
  if (!decoded.ok) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decoded.bytes);
  } catch {
    return null;
  }
};
