import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';

/** What to do about each failure of the guarded fetch; its own message says what happened. */
const ADVICE = {
  INVALID_URL: 'Give the whole address.',
  BLOCKED_URL: 'Give an address that needs none of this.',
  BLOCKED_ADDRESS:
    "Only the public internet is open; an operator can open an intranet with WEB_FETCH_ALLOW_ADDRESSES, in config.env in the plugin's folder or in the server's environment.",
  UNKNOWN_HOST: 'Check the spelling of the address.',
  CONNECTION_FAILED: 'Try again later, or another address.',
  TIMEOUT: 'Try again later.',
  TOO_LARGE: 'Ask again with a larger maxBytes, up to 20000000.',
  TOO_MANY_REDIRECTS: 'Give the address that they lead to.',
  INSECURE_REDIRECT: 'Give the http address itself, if it can be trusted.',
  INVALID_RESPONSE: 'The server is at fault; another address may do.',
};

/** A failure of the guarded fetch as this plugin's error. */
export const toPluginError = ({ code, message, retryable }) => {
  if (code === 'CANCELLED') return new PluginError('WEB.CANCELLED', message);
  return new PluginError(code === 'INVALID_URL' ? 'INVALID_ARGUMENT' : `WEB.${code}`, `${message}. ${ADVICE[code]}`, {
    target: code === 'TOO_LARGE' ? 'maxBytes' : 'url',
    retryable,
    category: code === 'INVALID_URL' ? 'validation' : code.startsWith('BLOCKED') ? 'domain' : 'dependency',
  });
};

const MEANINGS = {
  401: 'it wants a login',
  402: 'it wants payment',
  403: 'it refuses visitors like this one',
  404: 'there is no such page',
  410: 'the page is gone for good',
  429: 'it was asked too often',
  451: 'it may not show the page',
  500: 'it failed',
  502: 'a server behind it failed',
  503: 'it is overloaded or under repair',
  504: 'a server behind it was too slow',
};
const MAY_PASS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** An answer that is no success. `retryAfter` is what the server said, seconds or a date. */
export const statusFailure = ({ status, url, headers }) => {
  const meaning = MEANINGS[status] ?? (status < 400 ? 'it has nothing to show' : 'it refuses the request');
  const retryAfter = headers.get('retry-after');
  const advice = MAY_PASS.has(status) ? 'Try again later.' : 'Check the address, or try another one.';
  return new PluginError(
    'UPSTREAM_ERROR',
    `${new URL(url).host} answered with status ${status}: ${meaning}. ${advice}`,
    {
      target: 'url',
      retryable: MAY_PASS.has(status),
      category: 'dependency',
      details: { httpStatus: status, ...(retryAfter !== null && { retryAfter: retryAfter.slice(0, 100) }) },
    },
  );
};
