import type { Context, Next } from 'hono';
import { createMiddleware } from 'hono/factory';
import { addressGroup } from '../../lib/address-group.ts';
import { createFailureDelay } from '../../lib/failure-delay.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import type { Credential } from '../credential.ts';
import { problem } from '../problem.ts';
import type { Tickets } from '../push/tickets.ts';
import { wholeSeconds } from '../rate-limit-fields.ts';

/** Where browsers cannot send a header. */
const TICKET_PATHS: ReadonlySet<string> = new Set(['/v1/ws', '/v1/events']);

const FORMER = {
  expired: 'this key has expired; ask the operator of this server for another',
  revoked: 'this key has been revoked; ask the operator of this server for another',
} as const;

/**
 * RFC 6750. A request without a known key goes no further. An address that sends many wrong keys is told to wait; a
 * right key is never kept waiting, whatever else comes from its address (docs/decisions/0011).
 */
export const bearerAuth = ({
  authenticator,
  connections,
  clock,
  logger,
  limits,
  tickets,
}: Pick<AppDependencies, 'authenticator' | 'connections' | 'clock' | 'logger' | 'limits'> & {
  /** Null where there are none. */
  readonly tickets: Tickets | null;
}) => {
  const wrongKeys = createFailureDelay({
    free: limits.freeWrongKeys,
    longestMs: limits.wrongKeyDelayMs,
    capacity: limits.trackedAddresses,
  });

  const refuseWrong = (c: Context<AppEnvironment>, detail: string): Response => {
    const address = connections.clientAddress(c.env);
    if (address === null) return unauthorized(c, detail);
    const source = addressGroup(address);
    const { waitMs, isNew, failures } = wrongKeys.fail(source, clock.monotonic());
    if (waitMs === 0) return unauthorized(c, detail);
    const seconds = wholeSeconds(waitMs);
    // Once a wait, so that guessing cannot fill the log.
    if (isNew) logger.warn('auth.wrong-keys', { address: source, failures, waitSeconds: seconds });
    return problem(c, {
      status: 429,
      code: 'TOO_MANY_WRONG_KEYS',
      detail: `${detail}, and many wrong ones have come from this address: wait ${seconds} s before you try another`,
      headers: { 'retry-after': String(seconds) },
    });
  };

  const admit = async (c: Context<AppEnvironment>, credential: Credential, next: Next) => {
    const found = await credential.ask();
    if (found === null) return refuseWrong(c, 'the key is not known to this server');
    if (typeof found === 'string') return unauthorized(c, FORMER[found]);
    c.set('identity', found);
    c.set('credential', credential);
    return await next();
  };

  return createMiddleware<AppEnvironment>(async (c, next) => {
    const header = c.req.header('authorization');
    const ticket = header === undefined && TICKET_PATHS.has(c.req.path) ? c.req.query('ticket') : undefined;
    if (ticket !== undefined) {
      const credential = (await tickets?.redeem(ticket)) ?? null;
      if (credential === null)
        return refuseWrong(c, 'the ticket is not known to this server (it opens one connection, within a minute)');
      return await admit(c, credential, next);
    }
    const key = header === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
    if (key === undefined) {
      return problem(c, {
        status: 401,
        code: 'UNAUTHORIZED',
        detail: 'this needs the header "Authorization: Bearer <key>"',
        headers: { 'www-authenticate': 'Bearer realm="vcp"' },
      });
    }
    return await admit(c, { key, isTicket: false, ask: () => authenticator.authenticate(key) }, next);
  });
};

const unauthorized = (c: Context<AppEnvironment>, detail: string): Response =>
  problem(c, {
    status: 401,
    code: 'UNAUTHORIZED',
    detail,
    headers: { 'www-authenticate': 'Bearer realm="vcp", error="invalid_token"' },
  });
