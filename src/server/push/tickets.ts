import type { Clock } from '../../ports/clock.ts';
import type { Limits } from '../../lib/limits.ts';
import type { EventTicket } from '../../protocol/push.ts';
import type { Credential } from '../credential.ts';

/** Tickets stand for a key once, within a minute: an address with a ticket in it may be logged and is worth nothing then. */
export type Tickets = {
  /** Null when too many are out. */
  issue(credential: Credential): EventTicket | null;
  redeem(ticket: string): Credential | null;
};

const RANDOM_BYTES = 32;

export const createTickets = (clock: Clock, limits: Pick<Limits, 'ticketMs' | 'tickets'>): Tickets => {
  /** In the order in which they expire. */
  const held = new Map<string, { readonly credential: Credential; readonly expiresAt: number }>();

  const dropExpired = () => {
    const now = clock.now();
    for (const [ticket, { expiresAt }] of held) {
      if (expiresAt > now) return;
      held.delete(ticket);
    }
  };

  return {
    issue: (credential) => {
      dropExpired();
      if (held.size >= limits.tickets) return null;
      const ticket = `vcpt_${randomText()}`;
      const expiresAt = clock.now() + limits.ticketMs;
      held.set(ticket, { credential: { ...credential, isTicket: true }, expiresAt });
      return { ticket, expiresAt: new Date(expiresAt).toISOString() };
    },
    redeem: (ticket) => {
      dropExpired();
      const found = held.get(ticket);
      held.delete(ticket);
      return found?.credential ?? null;
    },
  };
};

const randomText = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
};
