import { describe, expect, it } from 'vitest';
import { createCensor } from '../../../src/policy/create-censor.ts';
import { createCensor } from '../../../src/policy/create-censor.ts';
import { redactValue } from '../../../src/policy/redact-value.ts';
import { isSecretName, redactText } from '../../../src/policy/sensitive-text.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';

const redact = (value: JsonValue, knownPaths: readonly string[] = []) => {
  const censor = createCensor(knownPaths);
  return { value: redactValue(value, ['data'], censor), redactions: censor.redactions };
};

// Put together at run time, so that no scanner takes a test for a leak.
const KEY = {
  aws: `AKIAIOSFODNN7EXAMPLE`,
  openai: `sk-${'a1B2'.repeat(8)}`,
  github: `ghp_${'a1B2'.repeat(9)}`,
  gitlab: `glpat-${'a1B2'.repeat(5)}`,
  slack: `xoxb-1234567890-abc`,
  google: `AIza${'a1B2C'.repeat(7)}`,
  own: `vcp_ab-c_${'d1E2'.repeat(8)}`,
};
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.');
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\n-----END RSA PRIVATE KEY-----`;

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
    expect(redactText('wrote /strange/place/a.txt', ['/strange/place'])?.text).toBe(
      'wrote [redacted: local path]/a.txt',
    );
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
    'user@example.com wrote http://localhost:8080/@scope/pkg',
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

describe('fields', () => {
  it.each([
    'password',
    'apiKey',
    'API_KEY',
    'api-key',
    'x-api-key',
    'clientSecret',
    'accessToken',
    'db.password',
    'Authorization',
    'set-cookie',
    'cookies',
    'sshKey',
    'adminCode',
    'token',
    'pwd',
    'credentials',
    'githubToken',
    'AWS_SECRET_ACCESS_KEY',
    'secretAccessKey',
    'id_token',
    'sessionId',
  ])('named %s hold a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(redact({ [name]: 'x' })).toEqual({
      value: { [name]: '[redacted: secret]' },
      redactions: [{ pointer: `/data/${name}`, reason: 'secret' }],
    });
  });

  it.each([
    'tokens',
    'maxTokens',
    'nextPageToken',
    'secretary',
    'passwordless',
    'key',
    'author',
    'keyboard',
    'cookieCount',
  ])('named %s hold none', (name) => {
    expect(redact({ [name]: 'x' }).redactions).toEqual([]);
  });

  it('that are empty, null or a yes or no have no secret to lose', () => {
    const value = { password: '', token: null, secret: true };
    expect(redact(value)).toEqual({ value, redactions: [] });
  });

  it('lose everything under a secret name, whatever its type', () => {
    const value = { password: 12345678, credentials: { user: 'u', pass: 'p' }, cookies: [{ a: 'b' }], accessKeys: ['x'] };
    expect(redact(value).value).toEqual({
      password: '[redacted: secret]',
      credentials: '[redacted: secret]',
      cookies: '[redacted: secret]',
      accessKeys: '[redacted: secret]',
    });
  });

  it('lose a name that is itself a secret or a path, also in the note about it', () => {
    const { value, redactions } = redact({ '/home/alice/.ssh/id_rsa': 1, [KEY.openai]: { a: 'see /etc/passwd' } });
    expect(Object.keys(value as object)).toEqual(['[redacted: local path] (1)', '[redacted: secret] (2)']);
    expect(JSON.stringify(redactions)).not.toMatch(/alice|sk-a1B2/);
  });

  it('lose a snapshot of the environment, not a field that only has its name', () => {
    const redacted = redact({
      env: { PATH: '/usr/bin', A: '1' },
      environment: 'production',
      environ: { region: 'eu' },
    });
    expect(redacted).toEqual({
      value: { env: '[redacted: environment]', environment: 'production', environ: { region: 'eu' } },
      redactions: [{ pointer: '/data/env', reason: 'environment' }],
    });
  });
});

describe('a value', () => {
  it('keeps business data untouched when redacting', () => {
    const clean = { rows: [{ id: 1, ratio: 0.5 }], note: 'fine' };
    const value = { clean, list: ['ok', { password: 'hunter2' }, ['see /etc/passwd']], 'a/b': { token: 't' } };
    const before = JSON.stringify(value);
    const redacted = redact(value);
    expect(redacted.value).toEqual({
      clean,
      list: ['ok', { password: '[redacted: secret]' }, ['see [redacted: local path]']],
      'a/b': { token: '[redacted: secret]' },
    });
    expect((redacted.value as { clean: unknown }).clean).toBe(clean);
    expect(JSON.stringify(value)).toBe(before);
    expect(redacted.redactions).toEqual([
      { pointer: '/data/list/1/password', reason: 'secret' },
      { pointer: '/data/list/2/0', reason: 'local path' },
      { pointer: '/data/a~1b/token', reason: 'secret' },
    ]);
  });

  it('without anything to hide is given back as it is', () => {
    const value = Object.freeze({ a: Object.freeze([1, 'text', null]) });
    expect(redact(value).value).toBe(value);
  });

  it('says each reason once for a text that has several', () => {
    expect(redact(`${KEY.aws} ${KEY.aws} /etc/passwd`).redactions).toEqual([
      { pointer: '/data', reason: 'secret' },
      { pointer: '/data', reason: 'local path' },
    ]);
  });

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
    [`key ${'sk_' + 'live_'}${'a1B2'.repeat(5)}`, 'key [redacted: secret]'],
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

  it.each(['the token is opaque', 'version 1.10.0.1', '8.8.8.8', '172.32.0.1', 'at 10:30', 'a::b', 'n::1', 'localhosts', 'see /v1/users'])(
    'leaves alone: %s',
    (text) => {
      expect(redactText(text)).toBeNull();
    },
  );
});

describe('hostile texts', () => {
  const hostile = ['-eyJ', 'eyJa.', 'sk-', '/home/', 'password=', 'a:b@', 'http://', '-----BEGIN PRIVATE KEY-----', '10.', 'f', '::', 'cookie: ', 'C:\\', 'token', '?key=', 'a.', 'Bearer ', '_'];

  it.each(hostile)('take time in proportion to their length: %j', (piece) => {
    const time = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const started = performance.now();
      redactText(text);
      return performance.now() - started;
    };
    time(20_000);
    // Ten times the length; quadratic work would take a hundred times as long.
    expect(time(400_000)).toBeLessThan(20 + 40 * Math.max(time(40_000), 1));
  });
});
