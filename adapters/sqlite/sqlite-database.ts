import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../sql/migrations.ts';
import type { SqlStatement, SqlWriter } from '../sql/sql-writer.ts';
import type { Tables } from '../sql/tables.ts';

export type SqliteDatabase = {
  readonly db: Kysely<Tables>;
  readonly writer: SqlWriter;
  /** Writes what is still waiting, then closes the file. */
  close(): Promise<void>;
};

/**
 * A SQLite file in WAL mode. What has been written survives the death of the process at any moment; what was written
 * in the last instant before a power failure may be lost, the file is whole all the same (`synchronous = normal`).
 */
export const openSqliteDatabase = async (path: string): Promise<SqliteDatabase> => {
  // The timeout comes first: setting the journal mode already needs a lock.
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  await useWriteAheadLog(database);
  database.exec('PRAGMA synchronous = NORMAL');
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) });
  await migrateAlone(database, db);
  // From here on the group writer does the waiting.
  database.exec('PRAGMA busy_timeout = 0');
  const writer = createGroupWriter(database);
  return {
    db,
    writer,
    close: async () => {
      try {
        await writer.flush();
      } finally {
        // Destroying kysely closes the file, which also checkpoints the log.
        await db.destroy();
      }
    },
  };
};

/** Milliseconds that a write waits for another process to let go of the file. */
const BUSY_TIMEOUT_MS = 5_000;
/** Milliseconds between two tries where SQLite does not wait by itself. */
const RETRY_MS = 20;

/** SQLite does not wait its timeout when two processes change the mode of a new file at once, so it is tried again. */
const useWriteAheadLog = async (database: DatabaseSync): Promise<void> => {
  const patience = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      execute(database, 'PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > patience) throw error;
      await sleep(RETRY_MS);
    }
  }
};

/** kysely takes no lock on SQLite while it migrates, so of two processes that start at once one would fail. */
const migrateAlone = async (database: DatabaseSync, db: Kysely<Tables>): Promise<void> => {
  execute(database, 'BEGIN IMMEDIATE');
  try {
    await migrate(db);
    execute(database, 'COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    await db.destroy();
    throw error;
  }
};

type Unit = {
  readonly statements: readonly SqlStatement[];
  readonly since: number;
  resolve(changed: readonly number[]): void;
  reject(error: unknown): void;
};

/**
 * Commits the units of all calls that end in one turn of the event loop together: a commit costs several times what
 * a row does. A unit that fails does not take the others with it.
 */
const createGroupWriter = (database: DatabaseSync): SqlWriter & { flush(): Promise<void> } => {
  const prepared = new Map<string, StatementSync>();
  let waiting: Unit[] = [];
  let scheduled = false;

  const statementOf = (sql: string): StatementSync => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };

  /** Gives the rows that each statement of each unit changed. */
  const commit = (units: readonly Unit[]): number[][] => {
    statementOf('BEGIN IMMEDIATE').run();
    try {
      const changed = units.map(({ statements }) =>
        statements.map(({ sql, parameters }) => Number(statementOf(sql).run(...parameters).changes)),
      );
      statementOf('COMMIT').run();
      return changed;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  const commitAll = () => {
    scheduled = false;
    const units = waiting;
    waiting = [];
    let changed: number[][];
    try {
      changed = commit(units);
    } catch (error) {
      if (isBusy(error)) retryLater(units, error);
      else if (units.length === 1) (units[0] as Unit).reject(error);
      else settleEach(units);
      return;
    }
    for (const [index, unit] of units.entries()) unit.resolve(changed[index] as number[]);
  };

  /** Another process writes: waiting for it happens here and not in SQLite, where it would stop the whole server. */
  const retryLater = (units: readonly Unit[], error: unknown) => {
    const patient = units.filter(({ since }) => performance.now() - since < BUSY_TIMEOUT_MS);
    for (const unit of units) if (!patient.includes(unit)) unit.reject(error);
    waiting = [...patient, ...waiting];
    if (waiting.length === 0) return;
    scheduled = true;
    setTimeout(commitAll, RETRY_MS);
  };

  /** One by one, in their order: from the first that meets another writer, all the others wait. */
  const settleEach = (units: readonly Unit[]) => {
    for (const [index, unit] of units.entries()) {
      let changed: number[] | undefined;
      try {
        [changed] = commit([unit]);
      } catch (error) {
        if (isBusy(error)) {
          retryLater(units.slice(index), error);
          return;
        }
        unit.reject(error);
        continue;
      }
      unit.resolve(changed as number[]);
    }
  };

  const write = (statements: readonly SqlStatement[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      waiting.push({ statements, since: performance.now(), resolve, reject });
      if (scheduled) return;
      scheduled = true;
      setImmediate(commitAll);
    });

  const flush = async () => {
    if (waiting.length > 0) await write([]);
  };

  return { write, flush };
};

/** Deno gives SQLite's error code with a prepared statement alone, and `isBusy` needs it. */
const execute = (database: DatabaseSync, sql: string): void => void database.prepare(sql).all();

/** SQLITE_BUSY, in any of its extended forms. */
const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;

/** The few methods of better-sqlite3 that kysely calls, on Node's own SQLite. */
const asKyselyDatabase = (database: DatabaseSync): ConstructorParameters<typeof SqliteDialect>[0]['database'] =>
  ({
    close: () => database.close(),
    prepare: (sql: string) => {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...(parameters as string[])),
        run: (parameters: readonly unknown[]) => statement.run(...(parameters as string[])),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as string[])),
      };
    },
  }) as never;
