import { isDataUri } from '../lib/data-uri.ts';
import { isJsonObject } from '../lib/is-json-object.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { SchemaPlace } from './declared-base64.ts';
import { beginsLikeFile } from './file-signature.ts';

/** A text that may hold a file. Whether it does is only known when it has been decoded. */
export type InlineCandidate = {
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** `declared`: the output schema says that it is Base64; `signature`: it begins like the Base64 of a file. */
  readonly form: 'data-uri' | 'declared' | 'signature';
  readonly mediaType: string | null;
};

/** Characters below which a text that nobody declared is left alone, though it begins like a file. */
const SHORTEST_UNDECLARED = 88;

/** Fields that are looked for in one value; what has more is not walked to its end. */
export const MOST_INLINE_FIELDS = 100_000;

/**
 * Texts of a value that may hold a file (§7.5); one more than `MOST_INLINE_FIELDS` at most. Each text costs a look at
 * its first characters, and never more: what a field is called says nothing, and a long text is not decoded to find out.
 */
export const findInline = (root: JsonValue, schema: SchemaPlace | null): InlineCandidate[] => {
  const found: InlineCandidate[] = [];
  const path: (string | number)[] = [];

  const judge = (text: string, place: SchemaPlace | null): void => {
    if (text.length === 0 || place?.keepsText === true) return;
    const mediaType = place?.base64?.mediaType ?? null;
    if (isDataUri(text)) found.push({ path: [...path], text, form: 'data-uri', mediaType });
    else if (place !== null && place.base64 !== null)
      found.push({ path: [...path], text, form: 'declared', mediaType });
    else if (text.length >= SHORTEST_UNDECLARED && beginsLikeFile(text))
      found.push({ path: [...path], text, form: 'signature', mediaType });
  };

  // Depth was bounded when the payload came in.
  const visit = (value: JsonValue, place: SchemaPlace | null): void => {
    if (found.length > MOST_INLINE_FIELDS) return;
    if (typeof value === 'string') judge(value, place);
    else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) step(index, value[index] as JsonValue, place);
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) step(key, value[key] as JsonValue, place);
    }
  };

  const step = (key: string | number, child: JsonValue, place: SchemaPlace | null): void => {
    if (typeof child !== 'string' && (typeof child !== 'object' || child === null)) return;
    path.push(key);
    visit(child, place === null ? null : place.at(key));
    path.pop();
  };

  visit(root, schema);
  return found;
};
