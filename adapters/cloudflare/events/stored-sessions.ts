import type { SessionState } from '../../../src/server/push/socket-session.ts';
import type { SqlStorageLike } from './object-state.ts';

/** A connection as it is kept while the object sleeps: whose key it came with, and what it wants. */
export type StoredSession = SessionState & { readonly keyId: string };

/** What connections want; an attachment of the socket itself is too small for a long filter. */
export type StoredSessions = {
  add(session: StoredSession): number;
  get(id: number): StoredSession | null;
  set(id: number, session: StoredSession): void;
  remove(id: number): void;
  /** Removes all but these: connections may end while nobody looks. */
  keepOnly(ids: ReadonlySet<number>): void;
};

export const createStoredSessions = (sql: SqlStorageLike): StoredSessions => {
  sql.exec('CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT)');
  const one = (rows: Iterable<Readonly<Record<string, unknown>>>) => [...rows][0];
  const remove = (id: number) => void sql.exec('DELETE FROM sessions WHERE id = ?', id);

  return {
    add: (session) =>
      one(sql.exec('INSERT INTO sessions (session) VALUES (?) RETURNING id', JSON.stringify(session)))?.[
        'id'
      ] as number,
    get: (id) => {
      const row = one(sql.exec('SELECT session FROM sessions WHERE id = ?', id));
      return row === undefined ? null : (JSON.parse(row['session'] as string) as StoredSession);
    },
    set: (id, session) => void sql.exec('UPDATE sessions SET session = ? WHERE id = ?', JSON.stringify(session), id),
    remove,
    keepOnly: (ids) => {
      const held = Array.from(sql.exec('SELECT id FROM sessions'), ({ id }) => id as number);
      for (const id of held) if (!ids.has(id)) remove(id);
    },
  };
};
