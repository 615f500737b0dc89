import type { Omission } from '../../../lib/sample-json.ts';
import { toJsonPointer } from '../../../lib/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import {
  fence,
  inlineCode,
  linkOrText,
  list,
  paragraph,
  strong,
  table,
  text,
  type BlockContent,
  type PhrasingContent,
} from '../markdown.ts';

/** Cuts by the pointer of the value that was cut, so that each is told where it happened. */
export type CutsByPointer = ReadonlyMap<string, Omission>;

const LONG_STRING = 200;
const TABLE_COLUMNS = 8;
const TABLE_CELL_CHARACTERS = 80;

/** §8.4: any JSON value as Markdown, in JSON's own order and with its own names. Nulls in objects are left out. */
export const renderValue = (value: JsonValue, path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent[] => {
  if (isScalar(value)) return isLongString(value) ? [fence(value)] : [paragraph(inlineScalar(value))];
  return Array.isArray(value) ? renderArray(value, path, cuts) : renderObject(value as JsonObject, path, cuts);
};

const renderObject = (object: JsonObject, path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent[] => {
  const items = Object.entries(object)
    .filter(([, value]) => value !== null)
    .map(([key, value]): BlockContent[] => renderField(key, value as JsonValue, [...path, key], cuts));
  const note = cutNote(path, cuts);
  if (note !== null) items.push([note]);
  return items.length === 0 ? [paragraph(text('(empty)'))] : [list(items)];
};

const renderField = (
  key: string,
  value: JsonValue,
  path: readonly PropertyKey[],
  cuts: CutsByPointer,
): BlockContent[] => {
  const label = strong(key);
  if (isReference(value)) return [paragraph(label, text(': resource '), inlineCode(value.$resource))];
  if (isShortScalar(value)) return [paragraph(label, text(': '), ...inlineField(value, path, cuts))];
  if (isLongString(value)) {
    const note = cutNote(path, cuts);
    return [paragraph(label, text(':')), fence(value), ...(note === null ? [] : [note])];
  }
  if (Array.isArray(value) && value.every(isShortScalar) && cuts.get(toJsonPointer(path)) === undefined) {
    const shown = value.flatMap((item, index): PhrasingContent[] =>
      index === 0 ? [inlineScalar(item)] : [text(', '), inlineScalar(item)],
    );
    return [paragraph(label, text(': '), ...(shown.length === 0 ? [text('(none)')] : shown))];
  }
  const count = Array.isArray(value) ? ` (${cuts.get(toJsonPointer(path))?.originalCount ?? value.length})` : '';
  return [paragraph(label, text(`${count}:`)), ...renderValue(value, path, cuts)];
};

const renderArray = (
  items: readonly JsonValue[],
  path: readonly PropertyKey[],
  cuts: CutsByPointer,
): BlockContent[] => {
  const note = cutNote(path, cuts);
  const tail = note === null ? [] : [note];
  if (items.length === 0) return [paragraph(text('(none)')), ...tail];
  const columns = tableColumns(items);
  if (columns !== null) {
    const rows = items.map((item, index) => rowCells(item as JsonObject, columns, [...path, index], cuts));
    return [
      table([columns.map(text), ...rows]),
      ...items.flatMap((_, index) => rowNotes([...path, index], columns, cuts)),
      ...tail,
    ];
  }
  return [
    list(
      items.map((item, index) => renderItem(item, [...path, index], cuts)),
      true,
    ),
    ...tail,
  ];
};

const renderItem = (item: JsonValue, path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent[] => {
  const blocks = isReference(item)
    ? [paragraph(text('resource '), inlineCode(item.$resource))]
    : renderValue(item, path, cuts);
  const note = isScalar(item) ? cutNote(path, cuts) : null;
  return note === null ? blocks : [...blocks, note];
};

/** The columns of an array that reads well as a table: objects of short scalars with much the same fields. */
const tableColumns = (items: readonly JsonValue[]): string[] | null => {
  if (items.length < 2) return null;
  const columns = new Set<string>();
  let filled = 0;
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item) || isReference(item)) return null;
    for (const [key, value] of Object.entries(item as JsonObject)) {
      if (!isScalar(value as JsonValue)) return null;
      if (typeof value === 'string' && (value.length > TABLE_CELL_CHARACTERS || value.includes('\n'))) return null;
      columns.add(key);
      filled += 1;
    }
    if (columns.size > TABLE_COLUMNS) return null;
  }
  return columns.size > 0 && filled >= (columns.size * items.length) / 2 ? [...columns] : null;
};

/** A short scalar in a line, with a note of what was cut from it. */
export const inlineField = (value: Scalar, path: readonly PropertyKey[], cuts: CutsByPointer): PhrasingContent[] => {
  const cut = cuts.get(toJsonPointer(path));
  return cut === undefined ? [inlineScalar(value)] : [inlineScalar(value), text(` (${describeCut(cut)})`)];
};

export const cell = (value: JsonValue | undefined): PhrasingContent =>
  value === null || value === undefined ? text('') : inlineScalar(value);

/** The cells of a row; one that was left out for want of room is marked, so that it does not read as an empty one. */
export const rowCells = (
  row: JsonObject,
  columns: readonly string[],
  path: readonly PropertyKey[],
  cuts: CutsByPointer,
): PhrasingContent[] => {
  const missing = new Set(cuts.get(toJsonPointer(path))?.missing);
  return columns.map((column) =>
    missing.has(toJsonPointer([...path, column])) ? text('…') : cell(Object.hasOwn(row, column) ? row[column] : null),
  );
};

/** What was cut from a row, and from its cells. */
export const rowNotes = (
  path: readonly PropertyKey[],
  columns: readonly PropertyKey[],
  cuts: CutsByPointer,
): BlockContent[] =>
  [path, ...columns.map((column) => [...path, column])]
    .map((place) => cutNote(place, cuts))
    .filter((note) => note !== null);

export type Scalar = string | number | boolean | null;
type Reference = JsonObject & { readonly $resource: string };

const isScalar = (value: JsonValue): value is Scalar => typeof value !== 'object' || value === null;

const isLongString = (value: JsonValue): value is string =>
  typeof value === 'string' && (value.length > LONG_STRING || value.includes('\n'));

/** A scalar that reads well in the middle of a line. */
export const isShortScalar = (value: JsonValue | undefined): value is Scalar =>
  value !== undefined && isScalar(value) && !isLongString(value);

export const isReference = (value: JsonValue | undefined): value is Reference =>
  typeof value === 'object' && value !== null && typeof (value as JsonObject)['$resource'] === 'string';

const inlineScalar = (value: JsonValue): PhrasingContent =>
  typeof value === 'string' ? (value === '' ? text('(empty)') : linkOrText(value)) : text(JSON.stringify(value));

export const cutNote = (path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent | null => {
  const cut = cuts.get(toJsonPointer(path));
  return cut === undefined ? null : paragraph({ type: 'emphasis', children: [text(describeCut(cut))] });
};

/** Missing fields that the text names, and the characters of a pointer that it shows. */
const NAMED_FIELDS = 8;
const POINTER_CHARACTERS = 120;

/** Says how much of what is missing, in the words that a model needs to ask for the rest. */
const describeCut = (cut: Omission): string => {
  const of = `${cut.keptCount} of ${cut.originalCount} ${cut.unit}`;
  return cut.unit === 'levels'
    ? `nested content not shown: ${cut.originalCount} entries at ${cut.pointer}`
    : `truncated: ${of} shown at ${cut.pointer}${missingFields(cut)}`;
};

const missingFields = ({ missing = [], originalCount, keptCount }: Omission): string => {
  const named = missing.filter(({ length }) => length <= POINTER_CHARACTERS).slice(0, NAMED_FIELDS);
  if (named.length === 0) return '';
  const rest = originalCount - keptCount - named.length;
  return `; not shown: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};
