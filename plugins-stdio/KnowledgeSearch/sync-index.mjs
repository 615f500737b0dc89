import { setImmediate } from 'node:timers/promises';
import { sha256 } from '../lib/read-bytes.mjs';
import { foldTag } from './front-matter.mjs';
import { BATCH_BYTES, BATCH_NOTES, TIMESTAMP_GRAIN_MS } from './limits.mjs';
import { eachNote } from './notes-folder.mjs';
import { parseNote } from './parse-note.mjs';
import { indexText } from './tokenize.mjs';

/**
 * Brings the index up to date with the folder. Only files whose size or time of change differs are read, and those that
 * changed so shortly before they were last read that their time of change may not show it. Returns `{ pending, left }`:
 * `pending` counts the notes for which no time was left. A call that is cancelled ends soon, and what was taken in until then
 * stays for the next.
 */
export async function syncIndex(database, root, { until, signal }) {
  const known = new Map();
  const rows = database.prepare('SELECT id, path, size, mtime_ns, read_at, sha256 FROM notes');
  for (const row of rows.iterate()) known.set(row.path, row);
  const left = { tooLarge: 0, unreadable: 0, stopped: false };
  const gone = new Map(known);
  let pending = 0;
  let batch = [];
  let batchBytes = 0;
  const flush = async () => {
    if (batch.length > 0) inTransaction(database, () => batch.forEach((entry) => store(database, entry)));
    batch = [];
    batchBytes = 0;
    await setImmediate();
    signal.throwIfAborted();
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
    if (found === null) continue;
    const digest = sha256(found.bytes);
    const facts = { path, stats: found.stats, readAt, sha256: digest };
    const isKnown = known.get(path)?.sha256 === digest;
    batch.push(isKnown ? facts : { ...facts, ...(await indexed(path, found.bytes, signal)) });
    batchBytes += isKnown ? 0 : found.bytes.length;
    if (batch.length >= BATCH_NOTES || batchBytes >= BATCH_BYTES) await flush();
  }
  await flush();
  // Of a folder that was not seen to its end nobody knows what has gone.
  if (!left.stopped && gone.size > 0)
    inTransaction(database, () => gone.values().forEach(({ id }) => forget(database, id)));
  return { pending, left };
}

function mayDiffer(row, stats) {
  if (row === undefined || row.size !== Number(stats.size) || row.mtime_ns !== String(stats.mtimeNs)) return true;
  return row.read_at - Number(stats.mtimeMs) < TIMESTAMP_GRAIN_MS;
}

/** A note and the texts that the index gets of it; made before the transaction, which must not wait. */
async function indexed(path, bytes, signal) {
  const note = parseNote(path, bytes);
  if (note === null) return { note, terms: [] };
  const terms = [];
  for (const text of [note.title, note.tags.join('\n'), note.body]) terms.push(await indexText(text, signal));
  return { note, terms };
}

function store(database, { path, note, terms, stats, readAt, sha256: digest }) {
  const facts = [Number(stats.size), String(stats.mtimeNs), readAt, new Date(Number(stats.mtimeMs)).toISOString()];
  const row = database.prepare('SELECT id, sha256 FROM notes WHERE path = ?').get(path);
  if (row?.sha256 === digest) {
    database
      .prepare('UPDATE notes SET size = ?, mtime_ns = ?, read_at = ?, updated_at = ? WHERE id = ?')
      .run(...facts, row.id);
    return;
  }
  // Another process has changed the row of a note that we knew: its news are the later ones.
  if (note === undefined) return;
  if (row) forget(database, row.id);
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
  termsStatement(database, 'INSERT INTO terms (rowid, title, tags, body) VALUES (?, ?, ?, ?)').run(id, ...terms);
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
