import { env } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createWorkerGuardedFetch } from '../../adapters/cloudflare/guarded-fetch.ts';
import type { GuardedRequest } from '../../src/ports/guarded-fetch.ts';

/** The world outside, where every public name is answered by Node (test/support/workerd/outside.ts). */
const asked: { url: string; authorization: string | null }[] = [];
const guarded = createWorkerGuardedFetch({
  fetch: (url, init) => {
    asked.push({ url: url.href, authorization: new Headers(init.headers).get('authorization') });
    return env.OUTSIDE.fetch(url, init);
  },
});
const get = (url: string, more: Partial<GuardedRequest> = {}) =>
  guarded({ url, maxBytes: 10_000, timeoutMs: 5_000, ...more });

describe('the guarded fetch of a worker', () => {
  it('gives a whole answer', async () => {
    const answer = await get('http://one.example/text');
    expect(answer).toMatchObject({ ok: true, status: 200, url: 'http://one.example/text', redirects: [] });
    expect(answer.ok && new TextDecoder().decode(answer.body)).toBe('some text');
  });

  it.each([
    ['http://127.0.0.1/', 'BLOCKED_ADDRESS'],
    ['http://2130706433/', 'BLOCKED_ADDRESS'],
    ['http://[::1]/', 'BLOCKED_ADDRESS'],
    ['http://169.254.169.254/latest/meta-data/', 'BLOCKED_ADDRESS'],
    ['http://10.0.0.1/', 'BLOCKED_ADDRESS'],
    ['http://localhost/', 'BLOCKED_ADDRESS'],
    ['http://db.localhost./', 'BLOCKED_ADDRESS'],
    ['ftp://one.example/', 'BLOCKED_URL'],
    ['http://user:pass@one.example/', 'BLOCKED_URL'],
    ['nothing', 'INVALID_URL'],
  ])('sends nothing to %s', async (url, code) => {
    const before = asked.length;
    expect(await get(url)).toMatchObject({ ok: false, code });
    expect(asked).toHaveLength(before);
  });

  it('judges where a redirect leads before it follows', async () => {
    expect(await get('http://one.example/redirect?to=http://192.168.1.1/')).toMatchObject({
      ok: false,
      code: 'BLOCKED_ADDRESS',
    });
    expect(await get('https://one.example/redirect?to=http://two.example/text')).toMatchObject({
      ok: false,
      code: 'INSECURE_REDIRECT',
    });
    expect(await get('http://one.example/loop')).toMatchObject({ ok: false, code: 'TOO_MANY_REDIRECTS' });
  });

  it('leaves credentials with the origin that they are for', async () => {
    asked.length = 0;
    const answer = await get('http://one.example/redirect?to=http://two.example/text', {
      headers: { authorization: 'Bearer secret' },
    });
    expect(answer).toMatchObject({ ok: true, redirects: ['http://one.example/redirect?to=http://two.example/text'] });
    expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer secret', null]);
  });

  it('takes no more bytes than it may, whether they are declared or not', async () => {
    expect(await get('http://one.example/bytes?length=20000')).toMatchObject({ ok: false, code: 'TOO_LARGE' });
    expect(await get('http://one.example/endless')).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('passes a body on as it comes', async () => {
    let received = 0;
    const answer = await get('http://one.example/bytes?length=5000', {
      receive: async (body) => {
        for await (const chunk of body) received += chunk.length;
      },
    });
    expect(answer).toMatchObject({ ok: true, body: new Uint8Array() });
    expect(received).toBe(5_000);
  });

  it('sends a body, and makes of a POST what redirects make of it', async () => {
    const body = new TextEncoder().encode('sent');
    const posted = await get('http://one.example/echo', { method: 'POST', body });
    expect(posted.ok && new TextDecoder().decode(posted.body)).toBe('POST sent');
    const led = await get('http://one.example/redirect?to=/echo', { method: 'POST', body });
    expect(led.ok && new TextDecoder().decode(led.body)).toBe('GET ');
  });

  it('ends at its time, and when it is cancelled', async () => {
    expect(await get('http://one.example/silence', { timeoutMs: 100 })).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    });
    const cancelling = new AbortController();
    setTimeout(() => cancelling.abort(), 50);
    expect(await get('http://one.example/silence', { signal: cancelling.signal })).toMatchObject({ code: 'CANCELLED' });
  });
});
