import { http, PluginError, type HttpResponse } from 'vcp-plugin';

export type FetchedText = {
  readonly text: string;
  readonly facts: { url: string; finalUrl: string; httpStatus: number; mediaType: string };
};

/** Failures of the host after which the same request may succeed. */
const PASSING = new Set(['UNKNOWN_HOST', 'CONNECTION_FAILED', 'TIMEOUT']);

/** Labels of the encodings that need no table: ASCII is a part of UTF-8. */
const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);
/** What browsers read as windows-1252. */
const WESTERN = new Set(['iso-8859-1', 'latin1', 'windows-1252', 'cp1252']);

/** The characters of windows-1252 from 0x80 to 0x9f; a gap stands for itself. */
const WESTERN_UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Where a page may name its encoding. */
const DECLARATION_BYTES = 1_024;

/**
 * Fetches an address and reads the answer as text.
 *
 * @throws PluginError when it cannot be had, is no success, or is encoded in a way that is not known here.
 */
export function fetchText(url: string, accept: string): FetchedText {
  const response = request(url, accept);
  const { status } = response;
  if (status < 200 || status > 299) {
    throw new PluginError('WEB.HTTP_STATUS', `${response.url} answered with the status ${status}`, {
      target: 'url',
      details: { status, finalUrl: response.url },
      category: 'dependency',
      retryable: status === 429 || status >= 500,
    });
  }
  const [mediaType = '', ...parameters] = (response.headers['content-type'] ?? '').toLowerCase().split(';');
  return {
    text: decode(response.bytes, charsetOf(parameters, response.bytes)),
    facts: { url, finalUrl: response.url, httpStatus: status, mediaType: mediaType.trim() },
  };
}

function request(url: string, accept: string): HttpResponse {
  try {
    return http.get(url, { accept });
  } catch (error) {
    if (!(error instanceof PluginError) || !error.code.startsWith('HOST.')) throw error;
    const reason = error.code.slice('HOST.'.length);
    throw new PluginError(`WEB.${reason}`, error.message, {
      target: 'url',
      category: 'dependency',
      retryable: PASSING.has(reason),
    });
  }
}

/** What the header says, else what the page says of itself, else UTF-8. */
function charsetOf(parameters: readonly string[], bytes: Uint8Array): string {
  const named = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)/.exec(parameter)?.[1]).find(Boolean);
  if (named !== undefined) return named;
  const head = latin1(bytes.subarray(0, DECLARATION_BYTES));
  return (/<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ?? 'utf-8').toLowerCase();
}

function decode(bytes: Uint8Array, charset: string): string {
  if (UTF8.has(charset)) return new TextDecoder().decode(bytes);
  if (WESTERN.has(charset)) return latin1(bytes);
  throw new PluginError(
    'WEB.UNKNOWN_CHARSET',
    `the page is written in ${charset}; this tool reads UTF-8 and windows-1252`,
    {
      target: 'url',
      details: { charset },
    },
  );
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes)
    text += byte >= 0x80 && byte < 0xa0 ? WESTERN_UPPER[byte - 0x80] : String.fromCharCode(byte);
  return text;
}
