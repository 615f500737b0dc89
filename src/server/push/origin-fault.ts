import type { Context } from 'hono';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';

/**
 * A page of another origin must not use a ticket that it came by; browsers name the origin of the page. A key in a header
 * is nothing that a browser sends by itself. Why the request is refused, or null.
 */
export const originFault = (
  c: Context<AppEnvironment>,
  { corsOrigins }: Pick<AppDependencies, 'corsOrigins'>,
): string | null => {
  const origin = c.req.header('origin');
  if (origin === undefined || !c.get('credential').isTicket) return null;
  const allowed = corsOrigins();
  if (allowed.includes('*') || allowed.includes(origin)) return null;
  // Behind a proxy the scheme is not known here.
  const host = URL.parse(origin)?.host;
  if (host !== undefined && host === c.req.header('host')) return null;
  return `pages of ${origin.slice(0, 200)} may not connect; VCP_CORS_ORIGINS names the origins that may`;
};
