import type { ExpressionBuilder, Kysely, SqlBool, Expression } from 'kysely';
import type { CallStore, ExpiredCount, Expiry } from '../../src/ports/call-store.ts';
import { readListed } from './listed-at-once.ts';
import type { SqlWriter } from './sql-writer.ts';
import { statementOf } from './statement-of.ts';
import type { Tables } from './tables.ts';

type Retention = Pick<CallStore, 'countExpired' | 'removeExpired' | 'referencedBlobs'>;

/** The part of a call store that forgets. Times are text of one form, so they compare as they are. */
export const createSqlRetention = (db: Kysely<Tables>, writer: SqlWriter): Retention => ({
  countExpired: async (expiry) => {
    const { count } = db.fn;
    const [results, records, resources] = await Promise.all([
      db
        .selectFrom('results')
        .select(count<number>('id').as('number'))
        .where('created_at', '<', expiry.results ?? NEVER)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('records')
        .select(count<number>('id').as('number'))
        .where('started_at', '<', expiry.records ?? NEVER)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('resources')
        .select(count<number>('id').as('number'))
        .where(isExpiredResource(expiry))
        .executeTakeFirstOrThrow(),
    ]);
    return { results: Number(results.number), records: Number(records.number), resources: Number(resources.number) };
  },
  removeExpired: async (expiry, most) => {
    // Resources first: a result whose file is gone says so, a file without its result would not be found again.
    const resources = db
      .deleteFrom('resources')
      .where('id', 'in', (inner) =>
        inner.selectFrom('resources').select('id').where(isExpiredResource(expiry)).orderBy('created_at').limit(most),
      );
    const results = db.deleteFrom('results').where('id', 'in', (inner) =>
      inner
        .selectFrom('results')
        .select('id')
        .where('created_at', '<', expiry.results ?? NEVER)
        .orderBy('created_at')
        .limit(most),
    );
    const records = db.deleteFrom('records').where('id', 'in', (inner) =>
      inner
        .selectFrom('records')
        .select('id')
        .where('started_at', '<', expiry.records ?? NEVER)
        .orderBy('started_at')
        .limit(most),
    );
    const changed = await writer.write([resources, results, records].map(statementOf));
    return { resources: changed[0] ?? 0, results: changed[1] ?? 0, records: changed[2] ?? 0 } satisfies ExpiredCount;
  },
  referencedBlobs: async (hashes, expiry) => {
    const rows = await readListed(hashes, (listed) =>
      db
        .selectFrom('resources')
        .select('sha256')
        .distinct()
        .where('sha256', 'in', listed)
        .where((expression) => expression.not(isExpiredResource(expiry)(expression)))
        .execute(),
    );
    return new Set(rows.flatMap(({ sha256 }) => sha256 ?? []));
  },
});

/** Before every time. */
const NEVER = '';

const isExpiredResource =
  (expiry: Expiry) =>
  (expression: ExpressionBuilder<Tables, 'resources'>): Expression<SqlBool> =>
    expression.or([
      expression.and([expression('result_id', 'is', null), expression('created_at', '<', expiry.uploads ?? NEVER)]),
      expression.and([expression('result_id', 'is not', null), expression('created_at', '<', expiry.results ?? NEVER)]),
    ]);
