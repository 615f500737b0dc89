import { toJsonPointer } from '../../../lib/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { paragraph, table, text, type BlockContent } from '../markdown.ts';
import { countLine, findList, isPlainObject, renderRest } from './entries.ts';
import { cell, cutNote, isShortScalar, rowCells, rowNotes, type CutsByPointer, type Scalar } from './render-value.ts';
import type { Renderer } from './renderer.ts';

const LISTS = ['rows', 'records', 'items', 'data', 'table'];
/** More columns than this are no table for anybody. */
const MOST_COLUMNS = 32;

/** Rows under columns: a list of objects, or `columns` with `rows` of values. */
export const tableView: Renderer = {
  name: 'table',
  part: 'data',
  matches: ({ presentation, aiAdvice }) => presentation?.preferredView === 'table' || aiAdvice?.renderHint === 'table',
  render: ({ result: { data }, cuts }) => renderMatrix(data, cuts) ?? renderObjects(data, cuts),
};

const renderObjects = (data: JsonValue, cuts: CutsByPointer): BlockContent[] | null => {
  const found = findList(data, LISTS);
  if (found === null) return null;
  const { items, path, key } = found;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (columns.length > MOST_COLUMNS) return null;
  if (!items.every((item) => Object.values(item).every((value) => isShortScalar(value as JsonValue)))) return null;
  const rows = items.map((item, index) => rowCells(item, columns, [...path, index], cuts));
  const within = items.flatMap((_, index) => rowNotes([...path, index], columns, cuts));
  const rest = isPlainObject(data) ? renderRest(data, [key ?? ''], ['data'], cuts) : [];
  return [countLine(found, cuts), table([columns.map(text), ...rows]), ...within, ...notesAt(path, cuts), ...rest];
};

const renderMatrix = (data: JsonValue, cuts: CutsByPointer): BlockContent[] | null => {
  if (!isPlainObject(data)) return null;
  const { columns, rows } = data as JsonObject;
  if (!isNames(columns) || !Array.isArray(rows) || rows.length === 0 || columns.length > MOST_COLUMNS) return null;
  if (!rows.every((row) => isRow(row, columns.length))) return null;
  const path = ['data', 'rows'];
  const cells = (rows as readonly (readonly Scalar[])[]).map((row) => columns.map((_, index) => cell(row[index])));
  const indexes = columns.map((_, index) => index);
  const within = rows.flatMap((_, index) => rowNotes([...path, index], indexes, cuts));
  const total = cuts.get(toJsonPointer(path))?.originalCount ?? rows.length;
  return [
    paragraph({ type: 'strong', children: [text('rows')] }, text(` (${total}):`)),
    table([columns.map(text), ...cells]),
    ...within,
    ...notesAt(path, cuts),
    ...notesAt(['data', 'columns'], cuts),
    ...renderRest(data, ['columns', 'rows'], ['data'], cuts),
  ];
};

const isNames = (value: JsonValue | undefined): value is readonly string[] & JsonValue =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && isShortScalar(name));

const isRow = (row: JsonValue, columns: number): boolean =>
  Array.isArray(row) && row.length <= columns && row.every(isShortScalar);

const notesAt = (path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent[] => {
  const note = cutNote(path, cuts);
  return note === null ? [] : [note];
};
