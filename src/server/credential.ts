import type { Authentication } from '../ports/authenticator.ts';

/** What a request was let in by. */
export type Credential = {
  /** The same text for the same key. */
  readonly key: string;
  /** Whether a ticket stood for it, as browsers have them. */
  readonly isTicket: boolean;
  /** Asks again whom the key belongs to: a connection may outlive it. */
  ask(): Promise<Authentication> | Authentication;
};
