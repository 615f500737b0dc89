import { decodeBase64 } from '../../lib/base64.ts';
import { parseDataUri } from '../../lib/data-uri.ts';
import type { JsonBounds } from '../../lib/check-json-value.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** Keeps the bytes of an image and gives the address that they have from then on; null when they are not kept. */
export type KeepImage = (bytes: Uint8Array, mimeType: string | null) => Promise<string | null>;

/**
 * A JSON text of an image model with addresses in the place of its images: `b64_json` becomes `url`, Gemini's `inlineData`
 * becomes `fileData`, and data URIs of images, alone or within a text, are replaced. What is not kept stays as it was, and
 * so does a text in which nothing is replaced, or that is no JSON.
 */
export const replaceImages = async (text: string, keep: KeepImage, bounds: JsonBounds): Promise<string> => {
  const parsed = parseJson(text, bounds);
  if (!parsed.ok) return text;
  let isChanged = false;
  const value = await replaceIn(parsed.value as JsonValue, async (bytes, mimeType) => {
    const url = await keep(bytes, mimeType);
    isChanged ||= url !== null;
    return url;
  });
  return isChanged ? JSON.stringify(value) : text;
};

const replaceIn = async (value: JsonValue, keep: KeepImage): Promise<JsonValue> => {
  if (typeof value === 'string') return await replaceInText(value, keep);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    // One after another: each image is in memory twice while it is kept.
    for (const item of value as readonly JsonValue[]) items.push(await replaceIn(item, keep));
    return items;
  }
  if (!isJsonObject(value)) return value;
  const fields: [string, JsonValue][] = [];
  for (const [name, field] of Object.entries(value)) fields.push(await replaceField(name, field, value, keep));
  return Object.fromEntries(fields);
};

const replaceField = async (
  name: string,
  value: JsonValue,
  owner: JsonObject,
  keep: KeepImage,
): Promise<[string, JsonValue]> => {
  if (name === 'b64_json' && typeof value === 'string' && typeof owner['url'] !== 'string') {
    const format = owner['output_format'];
    const url = await kept(value, typeof format === 'string' ? `image/${format}` : null, keep);
    return url === null ? [name, value] : ['url', url];
  }
  const inline = INLINE[name];
  if (inline !== undefined && isJsonObject(value) && typeof value['data'] === 'string') {
    const type = value[inline.mimeType];
    const isImage = typeof type === 'string' && /^image\//i.test(type);
    const url = isImage ? await kept(value['data'], type, keep) : null;
    return url === null ? [name, value] : [inline.becomes, { [inline.mimeType]: type as string, [inline.uri]: url }];
  }
  return [name, await replaceIn(value, keep)];
};

/** Both spellings that Gemini's interfaces have. */
const INLINE: Readonly<Record<string, { readonly mimeType: string; readonly becomes: string; readonly uri: string }>> =
  {
    inlineData: { mimeType: 'mimeType', becomes: 'fileData', uri: 'fileUri' },
    inline_data: { mimeType: 'mime_type', becomes: 'file_data', uri: 'file_uri' },
  };

const kept = async (base64: string, mimeType: string | null, keep: KeepImage): Promise<string | null> => {
  const decoded = decodeBase64(base64);
  return decoded.ok && decoded.bytes.length > 0 ? await keep(decoded.bytes, mimeType) : null;
};

const IMAGE_URI = /data:image\/[\w.+-]{1,64}(?:;[\w-]{1,32}=[\w.-]{1,64})?;base64,[A-Za-z0-9+/=]+/gi;

const replaceInText = async (text: string, keep: KeepImage): Promise<string> => {
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: uri, index } of text.matchAll(IMAGE_URI)) {
    const parsed = parseDataUri(uri);
    const url = parsed.ok && parsed.bytes.length > 0 ? await keep(parsed.bytes, parsed.mimeType) : null;
    pieces.push(text.slice(at, index), url ?? uri);
    at = index + uri.length;
  }
  return at === 0 && pieces.length === 0 ? text : pieces.join('') + text.slice(at);
};
