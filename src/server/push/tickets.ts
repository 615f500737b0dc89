import type { Clock } from '../../ports/clock.ts';
import type { Limits } from '../../lib/limits.ts';
import type { EventTicket } from '../../protocol/push.ts';
import type { Credential } from '../credential.ts';

/** Tickets stand for a key once, within a minute: an address with a ticket in it may be logged and is worth nothing then. */
export type Tickets = {
  /** Null when too many are out, of all keys or of this one. */
  issue(credential: Credential): EventTicket | null;
  redeem(ticket: string): Credential | null;
};

const RANDOM_BYTES = 32;

/** The part of all tickets that may be out for one key: it must not keep the pages of all others out. */
const SHARE_OF_A_KEY = 0.1;

export const createTickets = (clock: Clock, limits: Pick<Limits, 'ticketMs' | 'tickets'>): Tickets => {
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
    issue: (credential) => {
      dropExpired();
      const own = ofKey.get(credential.key) ?? 0;
      if (held.size >= limits.tickets || own >= Math.ceil(limits.tickets * SHARE_OF_A_KEY)) return null;
      const ticket = `vcpt_${randomText()}`;
      const expiresAt = clock.now() + limits.ticketMs;
      held.set(ticket, { credential: { ...credential, isTicket: true }, expiresAt });
      ofKey.set(credential.key, own + 1);
      return { ticket, expiresAt: new Date(expiresAt).toISOString() };
    },
    redeem: (ticket) => {
      dropExpired();
      return drop(ticket)?.credential ?? null;
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
