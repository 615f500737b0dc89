import { hashText } from '../../../src/lib/hash-json.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EventTicket } from '../../../src/protocol/push.ts';
import { newTicket, ticketsOfAKey } from '../../../src/server/push/tickets.ts';
import type { SqlStorageLike } from './object-state.ts';

/** Tickets of all isolates, kept as hashes with the id of the key that they stand for. */
export type StoredTickets = {
  issue(keyId: string): Promise<EventTicket | null>;
  /** The id of the key; null for a ticket that is none, or was used. */
  redeem(ticket: string): Promise<string | null>;
};

export const createStoredTickets = (
  sql: SqlStorageLike,
  clock: Pick<Clock, 'now'>,
  limits: Pick<Limits, 'ticketMs' | 'tickets'>,
): StoredTickets => {
  sql.exec('CREATE TABLE IF NOT EXISTS tickets (hash TEXT PRIMARY KEY, key_id TEXT, expires_at INTEGER) WITHOUT ROWID');
  sql.exec('CREATE INDEX IF NOT EXISTS tickets_by_key ON tickets (key_id)');

  const dropExpired = () => void sql.exec('DELETE FROM tickets WHERE expires_at <= ?', clock.now());
  const count = (condition: string, ...values: string[]): number => {
    const [row] = [...sql.exec(`SELECT count(*) AS held FROM tickets ${condition}`, ...values)];
    return row?.['held'] as number;
  };

  return {
    issue: async (keyId) => {
      const ticket = newTicket();
      const hash = await hashText(ticket);
      dropExpired();
      if (count('') >= limits.tickets || count('WHERE key_id = ?', keyId) >= ticketsOfAKey(limits)) return null;
      const expiresAt = clock.now() + limits.ticketMs;
      sql.exec('INSERT INTO tickets VALUES (?, ?, ?)', hash, keyId, expiresAt);
      return { ticket, expiresAt: new Date(expiresAt).toISOString() };
    },
    redeem: async (ticket) => {
      const hash = await hashText(ticket);
      dropExpired();
      const [row] = [...sql.exec('DELETE FROM tickets WHERE hash = ? RETURNING key_id', hash)];
      return (row?.['key_id'] as string | undefined) ?? null;
    },
  };
};
