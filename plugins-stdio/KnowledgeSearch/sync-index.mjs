import { sha256 } from '../lib/read-bytes.mjs';
import { foldTag } from './front-matter.mjs';
import { BATCH_NOTES, TIMESTAMP_GRAIN_MS } from './limits.mjs';
import { eachNote } from './notes-folder.mjs';
import { parseNote } from './parse-note.mjs';
import { indexText } from './tokenize.mjs';

/**
 * Brings the index up to date with the folder. Only files whose size or time of change differs are read, and those that
 * changed so shortly before they were last read that their time of change may not show it. Returns `{ pending, left }`:
 * `pending` counts the notes for which no time was left.
 */
export async function syncIndex(database, root, { until, signal }) {
  const known = new Map();
  const rows = database.prepare('SELECT id, path, size, mtime_ns, read_at, sha256 FROM notes');
  for (const row of rows.iterate()) known.set(row.path, row);
  const left = { tooLarge: 0, unreadable: 0, stopped: false };
  const gone = new Map(known);
  let pending = 0;
  let batch = [];
  const flush = () => {
    if (batch.length > 0) inTransaction(database, () => batch.forEach((entry) => store(database, entry)));
    batch = [];
  };
  for await (const { path, stats, read } of eachNote(root, left, signal)) {
    gone.delete(path);
    if (!mayDiffer(known.get(path), stats)) continue;
    if (Date.now() >= until) {
      pending += 1;
      continue;
    }
    const readAt = Date.now();
    const found = await read();
    if (found !== null) batch.push({ path, ...found, readAt, sha256: sha256(found.bytes) });
    if (batch.length >= BATCH_NOTES) flush();
  }
  flush();
  // Of a folder that was not seen to its end nobody knows what has gone.
  if (!left.stopped && gone.size > 0)
    inTransaction(database, () => gone.values().forEach(({ id }) => forget(database, id)));
  return { pending, left };
}

function mayDiffer(row, stats) {
  if (row === undefined || row.size !== Number(stats.size) || row.mtime_ns !== String(stats.mtimeNs)) return true;
  return row.read_at - Number(stats.mtimeMs) < TIMESTAMP_GRAIN_MS;
}

function store(database, { path, bytes, stats, readAt, sha256: digest }) {
  const facts = [Number(stats.size), String(stats.mtimeNs), readAt, new Date(Number(stats.mtimeMs)).toISOString()];
  const row = database.prepare('SELECT id, sha256 FROM notes WHERE path = ?').get(path);
  if (row?.sha256 === digest) {
    database
      .prepare('UPDATE notes SET size = ?, mtime_ns = ?, read_at = ?, updated_at = ? WHERE id = ?')
      .run(...facts, row.id);
    return;
  }
  if (row) forget(database, row.id);
  const note = parseNote(path, bytes);
  const { lastInsertRowid: id } = database
    .prepare(
      'INSERT INTO notes (size, mtime_ns, read_at, updated_at, path, title, tags, sha256, is_note, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      ...facts,
      path,
      note?.title ?? path,
      JSON.stringify(note?.tags ?? []),
      digest,
      note === null ? 0 : 1,
      note?.createdAt ?? null,
    );
  if (note === null) return;
  for (const tag of new Set(note.tags.map(foldTag)))
    database.prepare('INSERT INTO tags (note, tag) VALUES (?, ?)').run(id, tag);
  termsStatement(database, 'INSERT INTO terms (rowid, title, tags, body) VALUES (?, ?, ?, ?)').run(
    id,
    indexText(note.title),
    indexText(note.tags.join('\n')),
    indexText(note.body),
  );
}

function forget(database, id) {
  database.prepare('DELETE FROM notes WHERE id = ?').run(id);
  database.prepare('DELETE FROM tags WHERE note = ?').run(id);
  termsStatement(database, 'DELETE FROM terms WHERE rowid = ?').run(id);
}

/** FTS5 reports row ids of its own tables as the last one, and those are beyond what a number holds. */
function termsStatement(database, sql) {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Nothing in it waits, so calls of one process never meet inside a transaction. */
function inTransaction(database, action) {
  database.exec('BEGIN IMMEDIATE');
  try {
    action();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
