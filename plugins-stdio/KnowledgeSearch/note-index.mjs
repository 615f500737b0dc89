import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_MS } from './limits.mjs';

/** Raised whenever the tables or the terms in them change: an index of another layout is built anew. */
const LAYOUT = 1;
const POINTER = 'current.json';
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const TABLES = `
  CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    is_note INTEGER NOT NULL,
    created_at TEXT,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE tags (note INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (note, tag)) STRICT, WITHOUT ROWID;
  CREATE INDEX notes_of_tag ON tags (tag);
  CREATE VIRTUAL TABLE terms USING fts5 (title, tags, body, content='', contentless_delete=1, tokenize='ascii');
`;

/**
 * The full-text index of one notes folder: an SQLite file that can be thrown away at any time. `use(action)` runs
 * `action(database)` on it; an index that is missing, damaged, of another layout or of another folder is replaced by an
 * empty one first. A file name is never used twice, so that a process that still has an old index open harms nobody: the
 * small file `current.json`, replaced whole and under a lock, says which one counts.
 */
export function createNoteIndex({ directory, notesFolder, locks }) {
  const folder = createHash('sha256').update(notesFolder).digest('hex').slice(0, 32);

  const use = async (action, wait) => {
    const file = await currentFile(wait);
    try {
      return await runOn(file, action);
    } catch (error) {
      if (!isDamaged(error)) throw error;
    }
    await replace(file, wait);
    return await runOn(await currentFile(wait), action);
  };

  const runOn = async (file, action) => {
    const database = openDatabase(join(directory, file));
    try {
      if (layoutOf(database) !== LAYOUT) throw new DamagedIndex();
      return await action(database);
    } finally {
      database.close();
    }
  };

  const currentFile = async (wait) => readPointer() ?? (await replace(null, wait));

  /** Makes a new, empty index, unless another process has replaced the same one already. */
  const replace = async (file, wait) =>
    await locks.hold(['index'], wait, async () => {
      const now = readPointer();
      if (now !== null && now !== file) return now;
      const next = `notes-${randomBytes(8).toString('hex')}.db`;
      const database = openDatabase(join(directory, next));
      try {
        database.exec(`BEGIN; ${TABLES} PRAGMA user_version = ${LAYOUT}; COMMIT`);
      } finally {
        database.close();
      }
      const unfinished = join(directory, `${POINTER}.${next}.tmp`);
      writeFileSync(unfinished, JSON.stringify({ layout: LAYOUT, folder, file: next }));
      renameSync(unfinished, join(directory, POINTER));
      removeOthers(next);
      return next;
    });

  const readPointer = () => {
    try {
      const pointer = JSON.parse(readFileSync(join(directory, POINTER), 'utf8'));
      const isOurs =
        pointer.layout === LAYOUT && pointer.folder === folder && /^notes-[0-9a-f]{16}\.db$/.test(pointer.file);
      // An SQLite that cannot find its file would make an empty one.
      return isOurs && readdirSync(directory).includes(pointer.file) ? pointer.file : null;
    } catch {
      return null;
    }
  };

  const removeOthers = (kept) => {
    for (const name of readdirSync(directory)) {
      if (name.startsWith(kept) || name === POINTER) continue;
      if (/^(?:notes-|current\.json\.)/.test(name)) rmSync(join(directory, name), { force: true });
    }
  };

  mkdirSync(directory, { recursive: true });
  return { use };
}

class DamagedIndex extends Error {}

function openDatabase(path) {
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function layoutOf(database) {
  return database.prepare('PRAGMA user_version').get().user_version;
}

function isDamaged(error) {
  if (error instanceof DamagedIndex) return true;
  const code = (error?.errcode ?? 0) & 0xff;
  return error?.code === 'ERR_SQLITE_ERROR' && (code === SQLITE_CORRUPT || code === SQLITE_NOTADB);
}
