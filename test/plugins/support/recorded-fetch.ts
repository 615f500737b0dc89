import type { GuardedFetch } from '../../../src/ports/guarded-fetch.ts';

/** What stands for the recordings in the calls of a sandboxed plugin: an address that its manifest can name. */
export const RECORDED_ORIGIN = 'https://recorded.example';

/**
 * The network of a sandboxed plugin in a test: recorded answers at one public address, and nothing anywhere else. The
 * permissions of the manifest are asked as they are in a server.
 */
export const recordedFetch =
  (baseUrl: string | null): GuardedFetch =>
  async ({ url, method = 'GET', headers = {}, refusalOf, signal }) => {
    const asked = new URL(url);
    const refusal = refusalOf?.(asked, method) ?? null;
    if (refusal !== null) return { ok: false, code: 'NOT_ALLOWED', message: refusal, retryable: false };
    if (baseUrl === null || asked.origin !== RECORDED_ORIGIN) {
      return { ok: false, code: 'UNKNOWN_HOST', message: `${asked.host} has no address`, retryable: true };
    }
    const options = { method, headers, ...(signal === undefined ? {} : { signal }) };
    const response = await fetch(`${baseUrl}${asked.pathname}${asked.search}`, options);
    const body = new Uint8Array(await response.arrayBuffer());
    return { ok: true, url, status: response.status, headers: response.headers, body, redirects: [] };
  };
