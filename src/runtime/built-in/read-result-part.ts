import type { NotingCensor } from '../../lib/censor.ts';
import { parseJsonPointer } from '../../lib/json-pointer.ts';
import { pageOfText } from '../../lib/page-of.ts';
import { sampleJson, type Omission } from '../../lib/sample-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** A page of a part of a result. `omitted` names what was too large even for a page of its own. */
export type ResultPart = {
  readonly type: 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
  readonly value: JsonValue;
  readonly offset: number;
  /** Items, fields or characters of the whole part; null for a lone value. */
  readonly total: number | null;
  readonly nextOffset: number | null;
  readonly omitted: readonly Omission[];
};

export type PartRequest = {
  /** JSON Pointer (RFC 6901) into the result. */
  readonly pointer: string;
  readonly offset: number;
  /** Most items, fields or characters; null for as many as are usual. */
  readonly limit: number | null;
  /** About as many characters as the page may have when it is printed. */
  readonly characters: number;
};

const USUAL_MEMBERS = 100;
const USUAL_CHARACTERS = 8_000;
/** Levels of nesting that a page shows. */
const DEPTH = 12;

/**
 * A part of a result as its reader may see it: every field on the way to it is put before the censor, so that a secret
 * is hidden also from those who ask for nothing else. Undefined when there is nothing at the pointer; throws a TypeError
 * when the text is no JSON Pointer. A page ends early rather than showing an item in part.
 */
export const readResultPart = (
  result: JsonValue,
  request: PartRequest,
  censor: NotingCensor,
): ResultPart | undefined => {
  const path: string[] = [];
  let value = result;
  for (const step of parseJsonPointer(request.pointer)) {
    if (typeof value !== 'object' || value === null || !hasStep(value, step)) return undefined;
    path.push(step);
    const child = (value as JsonObject)[step] as JsonValue;
    const substitute = Array.isArray(value) ? undefined : censor.field(step, child, path);
    value = substitute ?? child;
  }
  return pageAt(value, path, request, censor);
};

const hasStep = (container: object, step: string): boolean =>
  Object.hasOwn(container, step) && !(Array.isArray(container) && !/^(0|[1-9]\d*)$/.test(step));

const pageAt = (
  value: JsonValue,
  path: readonly PropertyKey[],
  request: PartRequest,
  censor: NotingCensor,
): ResultPart => {
  const { offset, limit, characters } = request;
  if (typeof value === 'string') {
    const page = pageOfText(censor.text(value, path), offset, Math.min(limit ?? USUAL_CHARACTERS, characters));
    return { ...page, type: 'string', value: page.value as string, omitted: [] };
  }
  if (typeof value !== 'object' || value === null) {
    const type = value === null ? 'null' : (typeof value as 'boolean' | 'number');
    return { type, value, offset: 0, total: null, nextOffset: null, omitted: [] };
  }
  const keys = Array.isArray(value) ? null : Object.keys(value);
  const total = keys?.length ?? (value as readonly JsonValue[]).length;
  const taken = takeMembers(value, keys, path, request, censor);
  const next = offset + taken.members.length;
  return {
    type: keys === null ? 'array' : 'object',
    value: keys === null ? taken.members.map(([, member]) => member) : Object.fromEntries(taken.members),
    offset,
    total,
    nextOffset: next < total && offset < total ? next : null,
    omitted: taken.omitted,
  };
};

type Members = { readonly members: readonly [string, JsonValue][]; readonly omitted: readonly Omission[] };

const takeMembers = (
  container: object,
  keys: readonly string[] | null,
  path: readonly PropertyKey[],
  { offset, limit, characters }: PartRequest,
  censor: NotingCensor,
): Members => {
  const members: [string, JsonValue][] = [];
  const total = keys?.length ?? (container as readonly JsonValue[]).length;
  let left = characters;
  for (let index = offset; index < Math.min(offset + (limit ?? USUAL_MEMBERS), total); index += 1) {
    const key = keys === null ? String(index) : (keys[index] as string);
    const shown = keys === null ? key : censor.key(key, path, container);
    const child = (container as JsonObject)[key] as JsonValue;
    const here = [...path, keys === null ? index : shown];
    const given = (keys === null ? undefined : censor.field(key, child, here)) ?? child;
    const sample = sampleJson(given, { budget: left, depth: DEPTH, path: here, censor });
    const cost = (keys === null ? 0 : shown.length) + JSON.stringify(sample.value).length;
    const isFirst = members.length === 0;
    if (!isFirst && (sample.omissions.length > 0 || cost > left)) break;
    members.push([shown, sample.value]);
    if (sample.omissions.length > 0) return { members, omitted: sample.omissions };
    left -= cost;
  }
  return { members, omitted: [] };
};
