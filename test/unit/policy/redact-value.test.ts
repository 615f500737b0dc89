import { describe, expect, it } from 'vitest';
import { createCensor } from '../../../src/policy/create-censor.ts';
import { redactValue } from '../../../src/policy/redact-value.ts';
import { isSecretName } from '../../../src/policy/sensitive-text.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';

const redact = (value: JsonValue, knownPaths: readonly string[] = []) => {
  const censor = createCensor(knownPaths);
  return { value: redactValue(value, ['data'], censor), redactions: censor.redactions };
};

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
    const value = {
      password: 12345678,
      credentials: { user: 'u', pass: 'p' },
      cookies: [{ a: 'b' }],
      accessKeys: ['x'],
    };
    expect(redact(value).value).toEqual({
      password: '[redacted: secret]',
      credentials: '[redacted: secret]',
      cookies: '[redacted: secret]',
      accessKeys: '[redacted: secret]',
    });
  });

  it('lose a name that is itself a secret or a path, also in the note about it', () => {
    const { value, redactions } = redact({
      '/home/alice/.ssh/id_rsa': 1,
      [`sk-${'a1B2'.repeat(8)}`]: { a: 'see /etc/passwd' },
    });
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
    expect(redact(`AKIA${'IOSF'.repeat(4)} AKIA${'IOSF'.repeat(4)} /etc/passwd`).redactions).toEqual([
      { pointer: '/data', reason: 'secret' },
      { pointer: '/data', reason: 'local path' },
    ]);
  });
});
