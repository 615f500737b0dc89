import type { Kysely } from 'kysely';
import type { FinishedCall, KeySettlement } from '../../src/ports/call-store.ts';
import { sqlTime } from './sql-time.ts';
import type { SqlStatement } from './sql-writer.ts';
import type { Tables } from './tables.ts';

/**
 * The statement that writes what the end of a call means for its key, to run in one unit with the call. It names the
 * execution: a key that was taken over in the meantime stays with its new holder.
 */
export const prepareKeySettlement = (
  db: Kysely<Tables>,
): ((call: FinishedCall, settlement: KeySettlement) => SqlStatement) => {
  const keep = db
    .updateTable('idempotency_keys')
    .set({ result_id: '', expires_at: '' })
    .where('owner', '=', '')
    .where('idempotency_key', '=', '')
    .where('invocation_id', '=', '')
    .compile().sql;
  const free = db
    .deleteFrom('idempotency_keys')
    .where('owner', '=', '')
    .where('idempotency_key', '=', '')
    .where('invocation_id', '=', '')
    .compile().sql;
  return ({ owner, result }, { key, keptUntil }) => {
    const held = [owner, key, result.execution.invocationId];
    if (keptUntil === null) return { sql: free, parameters: held };
    return { sql: keep, parameters: [result.id, sqlTime(keptUntil), ...held] };
  };
};
