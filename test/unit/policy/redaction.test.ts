import { describe, expect, it } from 'vitest';
import { redactText } from '../../../src/policy/sensitive-text.ts';

// Put together at run time, so that no scanner takes a test for a leak.
const KEY = {
  aws: `AKIA${'IOSF'.repeat(4)}`,
  openai: `sk-${'a1B2'.repeat(8)}`,
  github: `ghp_${'a1B2'.repeat(9)}`,
  gitlab: `glpat-${'a1B2'.repeat(5)}`,
  slack: `xoxb-${'12345'.repeat(2)}-abc`,
  google: `AIza${'a1B2C'.repeat(7)}`,
  own: `vcp_ab-c_${'d1E2'.repeat(8)}`,
};
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.');
const PEM = ['-----BEGIN RSA PRIVATE', 'KEY-----\nMIIEpAIBAAKCAQEA75\n-----END RSA PRIVATE', 'KEY-----'].join(' ');

describe('text that holds a secret', () => {
  it.each([
    ...Object.entries(KEY).map(([name, key]) => [`a key of ${name}`, `use ${key} here`, 'use [redacted: secret] here']),
    ['a JWT', `token=${JWT}.`, 'token=[redacted: secret].'],
    ['a private key', `before ${PEM} after`, 'before [redacted: secret] after'],
    ['a private key that was cut', PEM.slice(0, 45), '[redacted: secret]'],
    ['an authorization header', 'Authorization: Bearer abc.def', 'Authorization: [redacted: secret]'],
    ['a header in JSON', '{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"[redacted: secret]"}'],
    ['a cookie', 'Cookie: session=1; theme=dark\nHost: a', 'Cookie: [redacted: secret]\nHost: a'],
    ['a set cookie', 'set-cookie: id=abc', 'set-cookie: [redacted: secret]'],
    ['bearer credentials', 'sent bearer abcdef123456789', 'sent bearer [redacted: secret]'],
    ['basic credentials', 'curl used Basic dXNlcjpwYXNzd29yZA==', 'curl used Basic [redacted: secret]'],
    ['basic credentials of letters only', 'header Basic dXNlcjpwYXNz', 'header Basic [redacted: secret]'],
    ['a password', 'password=hunter22&user=a', 'password=[redacted: secret]&user=a'],
    ['a key in an assignment', "OPENAI_API_KEY = 'abc123'", "OPENAI_API_KEY = '[redacted: secret]'"],
    ['a client secret', 'client_secret: "x-y-z"', 'client_secret: "[redacted: secret]"'],
    ['credentials in a URL', 'postgres://app:pa55@db:5432/x', 'postgres://[redacted: secret]@db:5432/x'],
  ])('loses it: %s', (_, text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['secret'] });
  });

  it('is the same after a second look', () => {
    for (const text of [`Authorization: Bearer ${JWT}`, `api_key=${KEY.openai}`, PEM, 'https://u:p@h/']) {
      const once = redactText(text)?.text ?? '';
      expect(redactText(once)).toBeNull();
    }
  });
});

describe('text that shows a path of the host', () => {
  it.each([
    ['see /etc/passwd', 'see [redacted: local path]'],
    ["ENOENT: open '/home/nova/notes.txt'", "ENOENT: open '[redacted: local path]'"],
    ['/root/.ssh/id_rsa', '[redacted: local path]'],
    ['(/var/log/x.log:12)', '([redacted: local path]:12)'],
    ['C:\\Users\\Nova\\file.txt', '[redacted: local path]'],
    ['\\\\server\\share\\file', '[redacted: local path]'],
    ['file:///home/nova/a.png', '[redacted: local path]'],
    ['/Users/nova/日程.txt', '[redacted: local path]'],
  ])('loses it: %s', (text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['local path'] });
  });

  it('loses directories that the server knows as its own, wherever they lie', () => {
    expect(redactText('wrote /strange/place/a.txt', ['/strange/place'])?.text).toBe('wrote [redacted: local path]');
  });
});

describe('text that shows a private address', () => {
  it.each([
    ['at 10.0.0.5:8080 now', 'at [redacted: private address] now'],
    ['http://192.168.1.7/x', 'http://[redacted: private address]/x'],
    ['http://localhost:3000/x', 'http://[redacted: private address]/x'],
    ['db.corp.internal:5432', '[redacted: private address]'],
  ])('loses it: %s', (text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['private address'] });
  });

  it.each([
    '8.8.8.8',
    'version 10.0.1',
    '10.0.0',
    'http://localhostile.example/',
    'internal affairs',
    '1.192.168.1.1.5',
  ])('does not mistake %s for one', (text) => {
    expect(redactText(text)).toBeNull();
  });
});

describe('text that holds nothing to hide', () => {
  it.each([
    '/v1/users',
    'GET /v1/results/tr_1?view=ai',
    'https://example.com/home/nova/page',
    'https://example.com/etc/hosts?x=/v1/a',
    'on 2026/07/12 or 12/07/2026',
    '1/2 cup, and/or 3/4',
    'either/or',
    'image/png',
    'does not fit its outputSchema: /data/total: is required',
    'a basic understanding of tools',
    'basic authentication, basic functionality',
    'the bearer certificates of the company',
    'skip-this-rather-long-kebab-case',
    'the secret to success is patience',
    'tokens: 1500',
    'user@example.com wrote http://example.com:8080/@scope/pkg',
    'key: value',
    '-----BEGIN CERTIFICATE-----',
    'The password must have 8 characters',
    '月球上的猫',
    'x',
    '',
  ])('stays as it is: %s', (text) => {
    expect(redactText(text)).toBeNull();
  });
});

describe('a long text', () => {
  it('of a megabyte is looked through in reasonable time', () => {
    const texts = [
      'a/'.repeat(500_000),
      'basic '.repeat(150_000),
      `Bearer ${'a'.repeat(1_000_000)}`,
      'eyJ'.repeat(300_000),
      '-----BEGIN '.repeat(90_000),
      '\\\\a'.repeat(300_000),
      'password '.repeat(100_000),
      '/etc'.repeat(250_000),
    ];
    const started = performance.now();
    for (const text of texts) redactText(text);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe('more that is nobody else’s business', () => {
  it.each([
    ['password="correct horse battery"', 'password="[redacted: secret]"'],
    ['DB_PASSWORD=hunter22 next', 'DB_PASSWORD=[redacted: secret] next'],
    ['AWS_SECRET_ACCESS_KEY=abc/def', 'AWS_SECRET_ACCESS_KEY=[redacted: secret]'],
    ['token=a1b2c3d4e5', 'token=[redacted: secret]'],
    ['GET /x?token=abc&page=2', 'GET /x?token=[redacted: secret]&page=2'],
    ['Cookie: a=b; session="s"', 'Cookie: [redacted: secret]'],
    [`key ${['sk', 'live', 'a1B2'.repeat(5)].join('_')}`, 'key [redacted: secret]'],
    ['http://192.168.1.5:8080/admin', 'http://[redacted: private address]/admin'],
    ['host 10.0.0.7.', 'host [redacted: private address].'],
    ['http://localhost:9200/', 'http://[redacted: private address]/'],
    ['ping fd00::1 now', 'ping [redacted: private address] now'],
    ['metadata.google.internal', '[redacted: private address]'],
    ['path:/home/alice/a.txt', 'path:[redacted: local path]'],
    ['PATH=/usr/bin:/home/alice/bin', 'PATH=[redacted: local path]:[redacted: local path]'],
    ['C:/Users/alice/x.txt', '[redacted: local path]'],
  ])('%s', (text, expected) => {
    expect(redactText(text)?.text).toBe(expected);
  });

  it.each([
    'the token is opaque',
    'version 1.10.0.1',
    '8.8.8.8',
    '172.32.0.1',
    'at 10:30',
    'a::b',
    'n::1',
    'localhosts',
    'see /v1/users',
  ])('leaves alone: %s', (text) => {
    expect(redactText(text)).toBeNull();
  });
});

describe('hostile texts', () => {
  const hostile = [
    '-eyJ',
    'eyJa.',
    'sk-',
    '/home/',
    'password=',
    'a:b@',
    'http://',
    '-----BEGIN PRIVATE KEY-----',
    '10.',
    'f',
    '::',
    'cookie: ',
    'C:\\',
    'token',
    '?key=',
    'a.',
    'Bearer ',
    '_',
  ];

  // Quadratic work on half a million characters would take a minute; a busy machine needs a fraction of the bound.
  it.each(hostile)('take time in proportion to their length: %j', (piece) => {
    const text = piece.repeat(Math.ceil(500_000 / piece.length));
    const started = performance.now();
    redactText(text);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
