import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isJsonObject } from './is-json-object.ts';

/** A part of a list, an object or a text; `total` and `nextOffset` are null for what has no parts, and `nextOffset` at the end. */
export type Page = {
  readonly value: unknown;
  readonly offset: number;
  readonly total: number | null;
  readonly nextOffset: number | null;
};

/** `limit` items, fields or characters of a value from `offset`; any other value is one page. */
export const pageOf = (part: unknown, offset: number, limit: number): Page => {
  if (typeof part === 'string') return pageOfText(part, offset, limit);
  const end = offset + limit;
  const pageFrom = (members: readonly unknown[]) => ({
    offset,
    total: members.length,
    nextOffset: end < members.length ? end : null,
  });
  if (Array.isArray(part)) return { value: part.slice(offset, end), ...pageFrom(part) };
  if (!isJsonObject(part as JsonValue)) return { value: part, offset: 0, total: null, nextOffset: null };
  const fields = Object.entries(part as JsonObject);
  return { value: Object.fromEntries(fields.slice(offset, end)), ...pageFrom(fields) };
};

/** Offsets are UTF-16 units, as JSON strings are counted in JavaScript; a page never ends or begins inside a character. */
export const pageOfText = (text: string, offset: number, limit: number): Page => {
  const start = splitsCharacter(text, offset) ? offset - 1 : offset;
  const end = splitsCharacter(text, offset + limit) ? offset + limit + 1 : offset + limit;
  return {
    value: text.slice(start, end),
    offset: start,
    total: text.length,
    nextOffset: end < text.length ? end : null,
  };
};

const splitsCharacter = (text: string, index: number): boolean =>
  index > 0 &&
  index < text.length &&
  !text.slice(index - 1, index).isWellFormed() &&
  (text.codePointAt(index - 1) ?? 0) > 0xffff;
