import { toJsonPointer } from '../../../lib/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { list, paragraph, text, type BlockContent, type PhrasingContent } from '../markdown.ts';
import {
  cutNote,
  inlineField,
  isReference,
  isShortScalar,
  renderValue,
  type CutsByPointer,
  type Scalar,
} from './render-value.ts';

/** A list of objects and where it stands. `key` is its field of the data; null when the data is the list. */
export type FoundList = {
  readonly items: readonly JsonObject[];
  readonly path: readonly PropertyKey[];
  readonly key: string | null;
};

/** The list that data is about: the data itself, the first field of these names that holds one, or the only one. */
export const findList = (data: JsonValue, names: readonly string[]): FoundList | null => {
  if (isObjectList(data)) return { items: data, path: ['data'], key: null };
  if (!isPlainObject(data)) return null;
  const lists = Object.keys(data).filter((key) => isObjectList(data[key]));
  const key = names.find((name) => lists.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined);
  return key === undefined ? null : { items: data[key] as unknown as readonly JsonObject[], path: ['data', key], key };
};

const isObjectList = (value: JsonValue | undefined): value is readonly JsonObject[] & JsonValue =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isPlainObject(item) && !isReference(item));

export const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these fields that fits into a line, with its value. */
export const firstField = (object: JsonObject, names: readonly string[]): { key: string; value: Scalar } | null => {
  for (const key of names) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value !== null && value !== '' && isShortScalar(value)) return { key, value };
  }
  return null;
};

/** How one entry begins, and which of its fields that has shown. */
export type Lead = { readonly shown: readonly string[]; readonly line: readonly PhrasingContent[] };

/** A numbered list: each entry begins with its lead, and its other fields follow by the generic rules. */
export const renderEntries = (
  { items, path }: FoundList,
  cuts: CutsByPointer,
  leadOf: (item: JsonObject, path: readonly PropertyKey[]) => Lead,
): BlockContent[] => {
  const entries = items.map((item, index) => {
    const here = [...path, index];
    const { shown, line } = leadOf(item, here);
    return [paragraph(...line), ...renderRest(item, shown, here, cuts)];
  });
  const note = cutNote(path, cuts);
  return [list(entries, true), ...(note === null ? [] : [note])];
};

/** The fields of an object that were not shown yet; nothing when there are none. Nulls are left out (§8.4). */
export const renderRest = (
  object: JsonObject,
  shown: readonly string[],
  path: readonly PropertyKey[],
  cuts: CutsByPointer,
): BlockContent[] => {
  const rest = Object.entries(object).filter(([key, value]) => !shown.includes(key) && value !== null);
  if (rest.length > 0) return renderValue(Object.fromEntries(rest) as JsonObject, path, cuts);
  const note = cutNote(path, cuts);
  return note === null ? [] : [note];
};

/** Fields in one line, with a dash between those that are there. */
export const joined = (
  fields: readonly ({ readonly key: string; readonly value: Scalar } | null)[],
  path: readonly PropertyKey[],
  cuts: CutsByPointer,
): Lead => {
  const present = fields.filter((field) => field !== null);
  const line = present.flatMap(({ key, value }, index) => [
    ...(index === 0 ? [] : [text(' — ')]),
    ...inlineField(value, [...path, key], cuts),
  ]);
  return { shown: present.map(({ key }) => key), line };
};

/** A heading line for a list within data: how many there are, and how many of them are shown. */
export const countLine = ({ items, path, key }: FoundList, cuts: CutsByPointer): BlockContent => {
  const total = cuts.get(toJsonPointer(path))?.originalCount ?? items.length;
  return paragraph({ type: 'strong', children: [text(key ?? 'items')] }, text(` (${total}):`));
};
