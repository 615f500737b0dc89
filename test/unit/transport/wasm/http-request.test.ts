import { describe, expect, it } from 'vitest';
import type { GuardedFailure, GuardedRequest, GuardedResponse } from '../../../../src/ports/guarded-fetch.ts';
import { bytesOf, textOf, told, type GuestStep } from '../../../support/guest-steps.ts';

type Answer = Partial<GuardedResponse> | GuardedFailure;
const web = (answer: (request: GuardedRequest) => Answer) => {
  const requests: GuardedRequest[] = [];
  const fetch = async (request: GuardedRequest): Promise<GuardedResponse | GuardedFailure> => {
    requests.push(request);
    const refusal = request.refusalOf?.(new URL(request.url), request.method ?? 'GET') ?? null;
    if (refusal !== null) return { ok: false, code: 'NOT_ALLOWED', message: refusal, retryable: false };
    const given = answer(request);
    if (given.ok === false) return given;
    return {
      ok: true,
      url: request.url,
      status: 200,
      headers: new Headers(),
      body: bytesOf('ok'),
      redirects: [],
      ...given,
    };
  };
  return { parts: { fetch }, requests };
};
const http = (more: object = {}, grant: object = {}) => ({
  http: { allow: [{ host: 'a.example', methods: ['GET', 'HEAD', 'POST'], ...grant }], ...more },
});

describe('http_request', () => {
  it('sends what the guest asks for and gives what came', async () => {
    const { parts, requests } = web(() => ({
      status: 404,
      headers: new Headers([
        ['Content-Type', 'text/html'],
        ['X-Two', 'a'],
        ['X-Two', 'b'],
        ['Set-Cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
        ['Set-Cookie', 'b=2'],
        ['Content-Encoding', 'gzip'],
        ['Content-Length', '5'],
      ]),
      body: bytesOf('页面'),
    }));
    const answer = await told(
      http(),
      async (host) => {
        const got = await host(
          'http_request',
          { method: 'post', url: 'https://a.example/x', headers: { A: 'b' } },
          bytesOf('sent'),
        );
        return 'ok' in got ? [got.ok, textOf(got.bytes)] : got;
      },
      { parts },
    );
    expect(answer).toEqual([
      {
        status: 404,
        url: 'https://a.example/x',
        headers: {
          'content-type': 'text/html',
          'x-two': 'a, b',
          'set-cookie': 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\nb=2',
        },
      },
      '页面',
    ]);
    expect(requests).toMatchObject([{ method: 'POST', url: 'https://a.example/x', headers: { A: 'b' } }]);
    expect(textOf(requests[0]?.body)).toBe('sent');
  });

  it('goes nowhere else than the manifest says', async () => {
    const { parts } = web(() => ({}));
    const answers = await told(
      http(),
      async (host) => [
        await host('http_request', { url: 'https://b.example/?key=secret' }),
        await host('http_request', { url: 'http://a.example/' }),
        await host('http_request', { url: 'https://a.example/', method: 'DELETE' }),
      ],
      { parts },
    );
    expect(answers).toMatchObject(Array.from({ length: 3 }, () => ({ error: { code: 'FORBIDDEN' } })));
    expect(JSON.stringify(answers)).not.toContain('secret');
  });

  it.each([
    [{ Host: 'b.example' }, 'host'],
    [{ 'content-length': '5' }, 'content-length'],
    [{ 'Transfer-Encoding': 'chunked' }, 'transfer-encoding'],
    [{ 'X-Forwarded-For': '127.0.0.1' }, 'x-forwarded-for'],
    [{ 'X-Real-IP': '127.0.0.1' }, 'x-real-ip'],
    [{ 'True-Client-IP': '127.0.0.1' }, 'true-client-ip'],
    [{ 'CF-Connecting-IP': '127.0.0.1' }, 'cf-connecting-ip'],
    [{ 'X-Client-IP': '127.0.0.1' }, 'x-client-ip'],
    [{ 'X-Forwarded-Host': 'b.example' }, 'x-forwarded-host'],
    [{ Forwarded: 'for=127.0.0.1' }, 'forwarded'],
    [{ Via: '1.1 b.example' }, 'via'],
    [{ 'proxy-authorization': 'x' }, 'proxy-authorization'],
    [{ padded: ' x' }, 'begins or ends with white space'],
    [{ padded: 'x\n' }, 'padded'],
    [{ control: 'a\u0001b' }, 'control'],
    [{ text: '日' }, 'text'],
    [{ 'a b': 'x' }, 'a b'],
    [{ a: 'x\r\nHost: y' }, 'a'],
  ])('sends no headers %o', async (headers, name) => {
    const { parts, requests } = web(() => ({}));
    const answer = await told(http(), (host) => host('http_request', { url: 'https://a.example', headers }), { parts });
    expect(answer).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
    expect(JSON.stringify(answer)).toContain(name);
    expect(requests).toEqual([]);
  });

  it.each([
    ['a method that it does not know', { method: 'TRACE' }, undefined],
    ['a GET with a body', { method: 'GET' }, bytesOf('x')],
  ])('sends no %s', async (_, fields, body) => {
    const { parts } = web(() => ({}));
    const answer = await told(http(), (host) => host('http_request', { url: 'https://a.example', ...fields }, body), {
      parts,
    });
    expect(answer).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  it.each([
    ['the manifest', { requests: 2 }, {}],
    ['the server', { requests: 100 }, { wasmHttpRequests: 2 }],
    ['the server, when the manifest says nothing,', {}, { wasmHttpRequests: 2 }],
  ])('makes as many requests as %s allows, refused ones included', async (_, more, limits) => {
    const { parts, requests } = web(() => ({}));
    const answers = await told(
      http(more),
      async (host) => [
        'ok' in (await host('http_request', { url: 'https://a.example' })),
        'ok' in (await host('http_request', { url: 'https://b.example' })),
        await host('http_request', { url: 'https://a.example' }),
      ],
      { parts, limits },
    );
    expect(answers).toMatchObject([true, false, { error: { code: 'LIMIT_REACHED' } }]);
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['the manifest', { bytes: 100 }, {}],
    ['the server', { bytes: 999 }, { wasmHttpBytes: 100 }],
  ])('counts the bytes of all bodies, both ways, against what %s allows', async (_, more, limits) => {
    const { parts, requests } = web(() => ({ body: new Uint8Array(30) }));
    const post = { url: 'https://a.example', method: 'POST' };
    const answers = await told(
      http(more),
      async (host) => [
        'ok' in (await host('http_request', post, new Uint8Array(20))),
        'ok' in (await host('http_request', post, new Uint8Array(20))),
        await host('http_request', post, new Uint8Array(1)),
      ],
      { parts, limits },
    );
    expect(answers).toMatchObject([true, true, { error: { code: 'LIMIT_REACHED' } }]);
    expect(requests.map(({ maxBytes }) => maxBytes)).toEqual([80, 30]);
  });

  it.each([
    ['requests', { requests: 3 }, 3],
    ['bytes', { bytes: 2_500 }, 2],
  ])('counts what redirects send again against its %s', async (_, more, sent) => {
    let sends = 0;
    // A server that sends every POST on to the next address.
    const { parts } = web(({ body, beforeSend }) => {
      for (;;) {
        const leave = beforeSend?.(body?.byteLength ?? 0) ?? { maxBytes: 0 };
        if ('refusal' in leave) return { ok: false, code: 'LIMIT_REACHED', message: leave.refusal, retryable: false };
        sends += 1;
        if (sends > 5) return {};
      }
    });
    const post = { url: 'https://a.example', method: 'POST' };
    const answers = await told(
      http(more),
      async (host) => [
        await host('http_request', post, new Uint8Array(1_000)),
        await host('http_request', post, new Uint8Array(1_000)),
      ],
      { parts },
    );
    expect(answers).toMatchObject([{ error: { code: 'LIMIT_REACHED' } }, { error: { code: 'LIMIT_REACHED' } }]);
    expect(sends).toBe(sent);
  });

  it('reads nothing more after a body that was too large', async () => {
    const { parts, requests } = web(() => ({ ok: false, code: 'TOO_LARGE', message: 'too large', retryable: false }));
    const answers = await told(
      http(),
      async (host) => [
        await host('http_request', { url: 'https://a.example' }),
        await host('http_request', { url: 'https://a.example' }),
      ],
      { parts },
    );
    expect(answers).toMatchObject([{ error: { code: 'TOO_LARGE' } }, { error: { code: 'TOO_LARGE' } }]);
    expect(requests[1]?.maxBytes).toBe(0);
  });

  it('waits no longer than manifest, server and deadline allow', async () => {
    const { parts, requests } = web(() => ({}));
    const ask: GuestStep = (host) => host('http_request', { url: 'https://a.example' });
    await told(http({ timeoutMs: 700 }), ask, { parts });
    await told(http({ timeoutMs: 700 }), ask, { parts, limits: { wasmHttpMs: 500 } });
    await told(http(), ask, { parts, fields: { communication: { protocol: 'direct', timeoutMs: 20_000 } } });
    expect(requests.slice(0, 2).map(({ timeoutMs }) => timeoutMs)).toEqual([700, 500]);
    expect(requests[2]?.timeoutMs).toBeLessThanOrEqual(20_000);
    expect(requests[2]?.timeoutMs).toBeGreaterThan(0);
  });

  it('is ended with its run', async () => {
    const { parts, requests } = web(() => ({}));
    await told(
      http(),
      (host, { run }) => host('http_request', { url: 'https://a.example' }).then(() => run.signal.aborted),
      { parts },
    );
    expect(requests[0]?.signal).toBeInstanceOf(AbortSignal);
  });
});
