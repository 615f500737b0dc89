import type { Kysely } from 'kysely';
import type { IdempotencyStore, KeyClaim } from '../../src/ports/idempotency-store.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlWriter } from './sql-writer.ts';
import { countChanges } from './statement-of.ts';
import type { IdempotencyKeyRow, Tables } from './tables.ts';

/** Idempotency keys in any SQL database that kysely speaks. Who gets a key is decided by the rows a statement changed. */
export const createSqlIdempotencyStore = (db: Kysely<Tables>, writer: SqlWriter): IdempotencyStore => {
  const changedBy = countChanges(writer);

  return {
    claim: async (claim) => {
      const row = rowOf(claim);
      const insert = db
        .insertInto('idempotency_keys')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['owner', 'idempotency_key'])
            .doUpdateSet(row)
            .where('idempotency_keys.expires_at', '<=', row.claimed_at),
        );
      return (await changedBy(insert)) === 1;
    },
    takeOver: async (claim, from) => {
      const row = rowOf(claim);
      const update = db
        .updateTable('idempotency_keys')
        .set(row)
        .where('owner', '=', claim.owner)
        .where('idempotency_key', '=', claim.key)
        .where('invocation_id', '=', from)
        .where('result_id', 'is', null)
        .where('lease_until', '<=', row.claimed_at);
      return (await changedBy(update)) === 1;
    },
    find: async (owner, key) => {
      const row = await db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('owner', '=', owner)
        .where('idempotency_key', '=', key)
        .executeTakeFirst();
      return row === undefined ? null : claimOf(row);
    },
    extend: async ({ owner, key, invocationId }, { leaseUntil, expiresAt }) => {
      const update = db
        .updateTable('idempotency_keys')
        .set({ lease_until: sqlTime(leaseUntil), expires_at: sqlTime(expiresAt) })
        .where('owner', '=', owner)
        .where('idempotency_key', '=', key)
        .where('invocation_id', '=', invocationId)
        .where('result_id', 'is', null);
      return (await changedBy(update)) === 1;
    },
    removeExpired: (now, most) => {
      const time = sqlTime(now);
      // Not every database limits a deletion by itself, so the oldest rows are bounded by the time of the last of them.
      const lastOfBatch = db
        .selectFrom('idempotency_keys')
        .select('expires_at')
        .where('expires_at', '<=', time)
        .orderBy('expires_at')
        .limit(1)
        .offset(most - 1);
      return changedBy(
        db
          .deleteFrom('idempotency_keys')
          .where('expires_at', '<=', (expression) => expression.fn.coalesce(lastOfBatch, expression.val(time))),
      );
    },
  };
};

const rowOf = (claim: KeyClaim): IdempotencyKeyRow => ({
  owner: claim.owner,
  idempotency_key: claim.key,
  fingerprint: claim.fingerprint,
  invocation_id: claim.invocationId,
  claimed_by: claim.claimedBy,
  claimed_at: sqlTime(claim.claimedAt),
  lease_until: sqlTime(claim.leaseUntil),
  expires_at: sqlTime(claim.expiresAt),
  is_repeatable: claim.isRepeatable ? 1 : 0,
  result_id: claim.resultId,
});

const claimOf = (row: IdempotencyKeyRow): KeyClaim => ({
  owner: row.owner,
  key: row.idempotency_key,
  fingerprint: row.fingerprint,
  invocationId: row.invocation_id,
  claimedBy: row.claimed_by,
  claimedAt: Date.parse(row.claimed_at),
  leaseUntil: Date.parse(row.lease_until),
  expiresAt: Date.parse(row.expires_at),
  isRepeatable: row.is_repeatable === 1,
  resultId: row.result_id,
});
