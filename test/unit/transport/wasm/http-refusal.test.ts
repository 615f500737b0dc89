import { describe, expect, it } from 'vitest';
import type { HttpGrant } from '../../../../src/protocol/permissions.ts';
import { httpRefusal } from '../../../../src/transport/wasm/host/http-refusal.ts';

const grant = (fields: Partial<HttpGrant>): HttpGrant => ({ scheme: 'https', host: '*', methods: ['GET'], ...fields });
const isGranted = (url: string, fields: Partial<HttpGrant>, method = 'GET') =>
  httpRefusal(new URL(url), method, [grant(fields)]) === null;

describe('a grant of the web', () => {
  it.each<[string, Partial<HttpGrant>]>([
    ['https://api.example.com/x?y#z', { host: 'api.example.com' }],
    ['https://API.Example.COM/', { host: 'api.example.com' }],
    ['https://api.example.com./', { host: 'api.example.com' }],
    ['https://api.example.com:443/', { host: 'api.example.com' }],
    ['https://api.example.com:443/', { host: 'api.example.com', port: 443 }],
    ['http://api.example.com/', { scheme: 'http', host: 'api.example.com' }],
    ['https://api.example.com:8443/', { host: 'api.example.com', port: 8443 }],
    ['https://a.example.com/', { host: '*.example.com' }],
    ['https://a.b.example.com/', { host: '*.example.com' }],
    ['https://anything.example/', {}],
    ['https://[2001:db8::1]/', { host: '[2001:db8::1]' }],
    ['https://bücher.example/', { host: 'xn--bcher-kva.example' }],
  ])('covers %s by %o', (url, fields) => {
    expect(isGranted(url, fields)).toBe(true);
  });

  it.each<[string, Partial<HttpGrant>]>([
    ['https://example.com/', { host: 'api.example.com' }],
    ['https://api.example.com.evil.example/', { host: 'api.example.com' }],
    ['https://evilapi.example.com/', { host: 'api.example.com' }],
    ['https://example.com/', { host: '*.example.com' }],
    ['https://.example.com/', { host: '*.example.com' }],
    ['https://evilexample.com/', { host: '*.example.com' }],
    ['https://example.com@evil.example/', { host: 'example.com' }],
    ['https://evil.example/?https://api.example.com', { host: 'api.example.com' }],
    ['http://api.example.com/', { host: 'api.example.com' }],
    ['http://api.example.com:443/', { host: 'api.example.com' }],
    ['https://api.example.com:80/', { host: 'api.example.com' }],
    ['https://api.example.com:8443/', { host: 'api.example.com' }],
    ['https://api.example.com/', { host: 'api.example.com', port: 8443 }],
    ['https://anything.example:8443/', {}],
    ['http://anything.example/', {}],
  ])('does not cover %s by %o', (url, fields) => {
    expect(isGranted(url, fields)).toBe(false);
  });

  it('covers the methods that it names', () => {
    expect(isGranted('https://a.example/', { methods: ['GET', 'POST'] }, 'POST')).toBe(true);
    expect(isGranted('https://a.example/', { methods: ['GET', 'HEAD'] }, 'POST')).toBe(false);
  });

  it('adds up with others, host and method together', () => {
    const allow = [grant({ host: 'a.example', methods: ['POST'] }), grant({ host: '*.example', methods: ['GET'] })];
    expect(httpRefusal(new URL('https://a.example/'), 'POST', allow)).toBeNull();
    expect(httpRefusal(new URL('https://a.example/'), 'GET', allow)).toBeNull();
    expect(httpRefusal(new URL('https://b.example/'), 'POST', allow)).not.toBeNull();
    expect(httpRefusal(new URL('https://x.a.example/'), 'GET', allow)).toBeNull();
  });

  it('says what to add, and nothing of the path and what follows it', () => {
    const allow = [grant({ host: 'a.example' })];
    expect(httpRefusal(new URL('http://b.example:8080/secret?key=secret'), 'GET', allow)).toBe(
      'http://b.example:8080 is not granted; add {"scheme":"http","host":"b.example","port":8080} to permissions.http.allow',
    );
    expect(httpRefusal(new URL('https://a.example/secret'), 'PUT', allow)).toBe(
      'the method PUT is not granted for https://a.example; add it to "methods" in permissions.http.allow',
    );
  });
});
