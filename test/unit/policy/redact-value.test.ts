import { describe, expect, it } from 'vitest';
import { createCensor } from '../../../src/policy/create-censor.ts';
import { redactValue } from '../../../src/policy/redact-value.ts';
import { nameKindOf } from '../../../src/policy/secret-names.ts';
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
    'pwd',
    'credentials',
    'AWS_SECRET_ACCESS_KEY',
    'secretAccessKey',
    'id_token',
    'sessionId',
    'Passwort',
    'wlan_kennwort',
    'contraseña',
    'mot de passe',
    'пароль',
    '登录密码',
    '口令',
    '密钥',
  ])('named %s hold a secret', (name) => {
    expect(nameKindOf(name)).toBe('secret');
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

  it.each([
    { maxToken: 4096, usage: { inputToken: 12, token: 7 } },
    { cookies: 3, password: 12345678, credentials: { count: 2, valid: true } },
    [
      { token: 'hello', pos: 'NOUN' },
      { token: 'internationalization', pos: 'NOUN' },
    ],
    { token: 'to be or not to be, that is question 1' },
  ])('keep what only shares a name with secrets: %j', (value) => {
    expect(redact(value)).toEqual({ value, redactions: [] });
  });

  it.each(['a1B2c3D4', 'abcdefghijklmnopqrstuvwx', 'abcDefGhiJklMnop', 'abcdefgh_ijklmno'])(
    'named after a token lose a text that looks like one: %s',
    (text) => {
      for (const name of ['token', 'githubToken', 'deploy_token'])
        expect(redact({ [name]: text }).value).toEqual({ [name]: '[redacted: secret]' });
      expect(redact({ token: { value: text } }).value).toEqual({ token: { value: '[redacted: secret]' } });
    },
  );

  it('lose every text under a secret name, at any depth', () => {
    const value = {
      credentials: { user: 'u', pass: 'p', uses: 2 },
      cookies: [{ a: 'b' }],
      accessKeys: ['x', ''],
    };
    expect(redact(value)).toEqual({
      value: {
        credentials: { user: '[redacted: secret]', pass: '[redacted: secret]', uses: 2 },
        cookies: [{ a: '[redacted: secret]' }],
        accessKeys: ['[redacted: secret]', ''],
      },
      redactions: [
        { pointer: '/data/credentials/user', reason: 'secret' },
        { pointer: '/data/credentials/pass', reason: 'secret' },
        { pointer: '/data/cookies/0/a', reason: 'secret' },
        { pointer: '/data/accessKeys/0', reason: 'secret' },
      ],
    });
  });

  it('lose a name in them that looks like a token', () => {
    const value = { apiKeys: { a1B2c3D4: 1, count: 2 }, rows: { a1B2c3D4: 1 } };
    expect(redact(value).value).toEqual({
      apiKeys: { '[redacted: secret] (1)': 1, count: 2 },
      rows: { a1B2c3D4: 1 },
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

  it('lose no value to another whose name is like what is shown for a hidden one', () => {
    const hidden = `sk-${'a1B2'.repeat(8)}`;
    for (const value of [
      { [hidden]: 'x', '[redacted: secret] (1)': 'original' },
      { '[redacted: secret] (1)': 'original', [hidden]: 'x' },
    ])
      expect(redact(value).value).toEqual({ '[redacted: secret] (1)': 'original', '[redacted: secret] (2)': 'x' });
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
    const value = { clean, list: ['ok', { password: 'hunter2' }, ['see /etc/passwd']], 'a/b': { token: 'a1B2c3D4' } };
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

  it.each([
    ['/home/alice/.ssh/id_rsa', '[redacted: local path]'],
    ['/password=hunter22', '/password=[redacted: secret]'],
    [`/sk-${'a1B2'.repeat(8)}`, '/[redacted: secret]'],
    ['/urls/postgres:~1~1nova:hunter22@db~1x', '/urls/postgres:~1~1[redacted: secret]@db~1x'],
    ['/files/~1home~1alice~1a.txt/size', '/files/[redacted: local path]/size'],
    ['/resources/0/localPath', '/resources/0/localPath'],
    ['/data/a~1b/m~0n/total', '/data/a~1b/m~0n/total'],
  ])('is looked into where it is a pointer: %s', (pointer, expected) => {
    const censor = createCensor([]);
    expect(redactValue({ a: { pointer } }, ['error', 'details'], censor)).toEqual({ a: { pointer: expected } });
  });

  it('says each reason once for a text that has several', () => {
    expect(redact(`AKIA${'IOSF'.repeat(4)} AKIA${'IOSF'.repeat(4)} /etc/passwd`).redactions).toEqual([
      { pointer: '/data', reason: 'secret' },
      { pointer: '/data', reason: 'local path' },
    ]);
  });
});
