import type { EventArchive } from '../../../src/events/event-archive.ts';
import type { EventAddress } from '../../../src/ports/event-sink.ts';
import type { SqlStorageLike } from './object-state.ts';

export type SqliteEventArchive = EventArchive & {
  /** The newest event there was, or the id from before the first; null where nothing was ever kept. */
  lastId(): string | null;
};

/** Kept events in the SQLite of a Durable Object. `firstId` gives an id that is older than all events to come. */
export const createSqliteEventArchive = (sql: SqlStorageLike, firstId: () => string): SqliteEventArchive => {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, text TEXT, address TEXT, at INTEGER) WITHOUT ROWID',
  );
  sql.exec('CREATE TABLE IF NOT EXISTS forgotten (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT)');

  const first = (statement: string): string | null => {
    for (const { id } of sql.exec(statement)) return id as string;
    return null;
  };
  const lastForgotten = () => first('SELECT id FROM forgotten');

  return {
    lastId: () => first('SELECT id FROM events ORDER BY id DESC LIMIT 1') ?? lastForgotten(),
    load: () => {
      sql.exec('INSERT OR IGNORE INTO forgotten VALUES (1, ?)', firstId());
      return {
        lastForgotten: lastForgotten() as string,
        events: Array.from(sql.exec('SELECT id, text, address, at FROM events ORDER BY id'), (row) => ({
          id: row['id'] as string,
          text: row['text'] as string,
          address: readAddress(row['address'] as string),
          at: row['at'] as number,
        })),
      };
    },
    add: ({ id, text, address, at }) => {
      sql.exec('INSERT INTO events VALUES (?, ?, ?, ?)', id, text, writeAddress(address), at);
    },
    forget: (id) => {
      sql.exec('DELETE FROM events WHERE id <= ?', id);
      sql.exec('UPDATE forgotten SET id = ?', id);
    },
  };
};

const writeAddress = ({ given, ...address }: EventAddress): string =>
  JSON.stringify(given === undefined ? address : { ...address, given: [...given] });

const readAddress = (text: string): EventAddress => {
  const { given, ...address } = JSON.parse(text) as Omit<EventAddress, 'given'> & { given?: string[] };
  return given === undefined ? address : { ...address, given: new Set(given) };
};
