import type { HttpGrant } from '../../../protocol/permissions.ts';

/** Why no grant covers a request, in words for the plugin's author; null when one does. */
export const httpRefusal = (url: URL, method: string, allow: readonly HttpGrant[]): string | null => {
  const near = allow.filter((grant) => reaches(grant, url));
  if (near.some(({ methods }) => methods.some((one) => one === method))) return null;
  // The path and what follows it may hold secrets, and decide nothing.
  return near.length > 0
    ? `the method ${method} is not granted for ${url.origin}; add it to "methods" in permissions.http.allow`
    : `${url.origin} is not granted; add ${JSON.stringify(grantFor(url))} to permissions.http.allow`;
};

const reaches = ({ scheme, host, port }: HttpGrant, url: URL): boolean =>
  url.protocol === `${scheme}:` && portOf(url) === (port ?? usualPort(scheme)) && isHost(host, url.hostname);

/** `*.example.com` is every host below example.com, and not that itself. A dot at the end names the same host. */
const isHost = (pattern: string, hostname: string): boolean => {
  const host = hostname.replace(/\.$/, '');
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern;
};

const usualPort = (scheme: string): number => (scheme === 'https' ? 443 : 80);

const portOf = (url: URL): number => (url.port === '' ? usualPort(url.protocol.slice(0, -1)) : Number(url.port));

const grantFor = (url: URL) => ({
  ...(url.protocol === 'https:' ? {} : { scheme: url.protocol.slice(0, -1) }),
  host: url.hostname,
  ...(url.port === '' ? {} : { port: Number(url.port) }),
});
