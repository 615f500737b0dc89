import type { Clock } from '../../ports/clock.ts';
import type { Limits } from '../../lib/limits.ts';
import type { EventTicket } from '../../protocol/push.ts';
import type { Credential } from '../credential.ts';

/** Tickets stand for a key once, within a minute: an address with a ticket in it may be logged and is worth nothing then. */
export type Tickets = {
  /** Null when too many are out, of all keys or of this one. */
  issue(credential: Credential): EventTicket | null | Promise<EventTicket | null>;
  redeem(ticket: string): Credential | null | Promise<Credential | null>;
};

const RANDOM_BYTES = 32;

/** How many of all tickets may be out for one key: it must not keep the pages of all others out. */
export const ticketsOfAKey = ({ tickets }: Pick<Limits, 'tickets'>): number => Math.ceil(tickets * 0.1);

/** Tickets that this process holds. */
export const createTickets = (clock: Clock, limits: Pick<Limits, 'ticketMs' | 'tickets'>) => {
  /** In the order in which they expire. */
  const held = new Map<string, { readonly credential: Credential; readonly expiresAt: number }>();
  const ofKey = new Map<string, number>();

  const drop = (ticket: string) => {
    const found = held.get(ticket);
    if (found === undefined || !held.delete(ticket)) return null;
    const { key } = found.credential;
    const left = (ofKey.get(key) ?? 1) - 1;
    if (left === 0) ofKey.delete(key);
    else ofKey.set(key, left);
    return found;
  };

  const dropExpired = () => {
    const now = clock.now();
    for (const [ticket, { expiresAt }] of held) {
      if (expiresAt > now) return;
      drop(ticket);
    }
  };

  return {
    issue: (credential: Credential): EventTicket | null => {
      dropExpired();
      const own = ofKey.get(credential.key) ?? 0;
      if (held.size >= limits.tickets || own >= ticketsOfAKey(limits)) return null;
      const ticket = newTicket();
      const expiresAt = clock.now() + limits.ticketMs;
      held.set(ticket, { credential: { ...credential, isTicket: true }, expiresAt });
      ofKey.set(credential.key, own + 1);
      return { ticket, expiresAt: new Date(expiresAt).toISOString() };
    },
    redeem: (ticket: string): Credential | null => {
      dropExpired();
      return drop(ticket)?.credential ?? null;
    },
  } satisfies Tickets;
};

/** A ticket that nobody guesses. */
export const newTicket = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  return `vcpt_${text}`;
};
