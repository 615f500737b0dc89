import { addressRefusal, type AddressRange } from './address-policy.ts';

/** A URL that somebody else chose, judged before anything is sent. `reason` completes "the URL is refused: …". */
export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly code: 'INVALID_URL' | 'BLOCKED_URL' | 'BLOCKED_ADDRESS'; readonly reason: string };

const MOST_CHARACTERS = 8_192;

/**
 * Whether a URL may be fetched as far as its text tells: http or https, no credentials, no port of another protocol, no
 * address that is not public. A name says nothing yet; what it resolves to is judged when it is connected to.
 */
export const judgeUrl = (text: string, base?: URL, allowed: readonly AddressRange[] = []): UrlVerdict => {
  if (text.length > MOST_CHARACTERS) return refuse('INVALID_URL', `it is longer than ${MOST_CHARACTERS} characters`);
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return refuse('INVALID_URL', 'it is no absolute URL; write it like https://example.com/page');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse('BLOCKED_URL', `its scheme is ${url.protocol.slice(0, -1)}; only http and https are fetched`);
  if (url.username !== '' || url.password !== '')
    return refuse('BLOCKED_URL', 'it has a user name or password in it; leave these out');
  if (BAD_PORTS.has(Number(url.port)) && url.port !== '')
    return refuse('BLOCKED_URL', `port ${url.port} belongs to another protocol than HTTP`);
  // The parser has brought 0x7f.1, 2130706433 and the like into one form: four numbers, or brackets.
  if (/^\[|^\d+\.\d+\.\d+\.\d+$/.test(url.hostname)) {
    const refusal = addressRefusal(url.hostname, allowed);
    if (refusal !== null) return refuse('BLOCKED_ADDRESS', `the address ${url.hostname} is not open: ${refusal}`);
  }
  return { ok: true, url };
};

/** A URL as it may stand in a message: query and fragment may hold secrets, and so may what comes before an @. */
export const describeUrl = (url: URL): string =>
  `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`;

const refuse = (code: Extract<UrlVerdict, { ok: false }>['code'], reason: string): UrlVerdict => ({
  ok: false,
  code,
  reason,
});

/** The "bad ports" of the Fetch standard: a line of HTTP may be taken for a command there. */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
