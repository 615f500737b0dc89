import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { textOf } from './json-fields.ts';
import type { Mapping, Path } from './request-field.ts';

/** A part of a message in one of the forms that OpenAI's requests have. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'audio'; readonly format: string; readonly base64: string }
  /** `dataUri` is empty where the file is named by an id of OpenAI's. */
  | { readonly type: 'file'; readonly name: string; readonly dataUri: string };

export type PlacedPart = {
  readonly part: MessagePart;
  readonly path: Path;
  /** The fields of the part that the vendor knows beside OpenAI's. */
  readonly own: JsonObject;
};

/**
 * The parts of a message's content, without empty texts, which other vendors refuse. What is none of the known forms is
 * refused with its place; `ownFields` are those that the vendor knows beside OpenAI's.
 */
export const partsOf = (
  content: JsonValue | undefined,
  path: Path,
  mapping: Mapping,
  ownFields: readonly string[] = [],
): readonly PlacedPart[] => {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ part: { type: 'text', text: content }, path, own: {} }];
  if (!Array.isArray(content)) throw mapping.refused(path, 'must be a text or a list of parts');
  return (content as readonly JsonValue[]).flatMap((item, index) => {
    const place = [...path, index];
    if (!isJsonObject(item)) throw mapping.refused(place, 'must be an object with a type');
    const part = partOf(item, place, mapping);
    if (part.type === 'text' && part.text === '') return [];
    const own: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(item)) {
      if (ownFields.includes(name)) own[name] = value;
      else if (name !== 'type' && name !== item['type'])
        mapping.notice([...place, name], 'was left out: this upstream has nothing like it');
    }
    return [{ part, path: place, own }];
  });
};

const partOf = (item: JsonObject, path: Path, mapping: Mapping): MessagePart => {
  switch (item['type']) {
    case 'text':
      return { type: 'text', text: textOf(item['text']) };
    case 'refusal':
      return { type: 'text', text: textOf(item['refusal']) };
    case 'image_url': {
      const image = item['image_url'];
      const url = isJsonObject(image) ? textOf(image['url']) : textOf(image);
      if (url === '') throw mapping.refused([...path, 'image_url'], 'must have a url');
      if (isJsonObject(image) && typeof image['detail'] === 'string' && image['detail'] !== 'auto')
        mapping.notice([...path, 'image_url', 'detail'], 'was left out: this upstream chooses the detail by itself');
      return { type: 'image', url };
    }
    case 'input_audio': {
      const audio = isJsonObject(item['input_audio']) ? item['input_audio'] : {};
      return { type: 'audio', format: textOf(audio['format']), base64: textOf(audio['data']) };
    }
    case 'file': {
      const file = isJsonObject(item['file']) ? item['file'] : {};
      return { type: 'file', name: textOf(file['filename']), dataUri: textOf(file['file_data']) };
    }
    default:
      throw mapping.refused(
        [...path, 'type'],
        'must be text, image_url, input_audio, file or refusal: this upstream is given no other parts',
      );
  }
};
