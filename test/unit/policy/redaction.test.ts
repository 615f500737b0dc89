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
  sendgrid: `SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`,
  digitalocean: `dop_v1_${'a1b2'.repeat(16)}`,
  own: `vcp_ab-c_${'d1E2'.repeat(8)}`,
};
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.');
const PEM = ['-----BEGIN RSA PRIVATE', 'KEY-----\nMIIEpAIBAAKCAQEA75\n-----END RSA PRIVATE', 'KEY-----'].join(' ');
const PGP = [
  '-----BEGIN PGP PRIVATE',
  'KEY BLOCK-----\nVersion: GnuPG v2.0 (x-y)\n\nlQOYBF+a/b=\n=Ab1c\n-----END PGP PRIVATE',
  'KEY BLOCK-----',
].join(' ');
const ENCRYPTED = [
  '-----BEGIN RSA PRIVATE',
  'KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nMIIEpAIB\n-----END RSA PRIVATE',
  'KEY-----',
].join(' ');

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
    ['a private key of PGP', `a ${PGP} b`, 'a [redacted: secret] b'],
    ['a private key under a passphrase', `a ${ENCRYPTED} b`, 'a [redacted: secret] b'],
    ['a password in a URL that nobody encoded', 'postgres://user:p@ss:w0rd@db/x', 'postgres://[redacted: secret]@db/x'],
    ['a user with an @ in a URL', 'smtp://a@b.example:w0rd@mail', 'smtp://[redacted: secret]@mail'],
    ['credentials in a URL', 'postgres://app:pa55@db:5432/x', 'postgres://[redacted: secret]@db:5432/x'],
  ])('loses it: %s', (_, text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['secret'] });
  });

  it.each([
    ['Passwort: geheim123', 'Passwort: [redacted: secret]'],
    ['das WLAN-Passwort : Größe7! gilt', 'das WLAN-Passwort : [redacted: secret] gilt'],
    ['Kennwort="so lang"', 'Kennwort="[redacted: secret]"'],
    ['passwort=geheim', 'passwort=[redacted: secret]'],
    ['Contraseña: s3creto', 'Contraseña: [redacted: secret]'],
    ['CONTRASEN\u0303A: s3creto', 'CONTRASEN\u0303A: [redacted: secret]'],
    ['Mot de passe : s3cret!', 'Mot de passe : [redacted: secret]'],
    ['Пароль: секрет123', 'Пароль: [redacted: secret]'],
    ['senha: correct_horse', 'senha: [redacted: secret]'],
    ['hasło: abc1ef', 'hasło: [redacted: secret]'],
    ['密码：abc12345', '密码：[redacted: secret]'],
    ['账号 nova，密码：abc12345，请勿外传', '账号 nova，密码：[redacted: secret]，请勿外传'],
    ['口令: P@ssw0rd。', '口令: [redacted: secret]。'],
    ['密钥=a1B2c3D4', '密钥=[redacted: secret]'],
    ['密码是abc12345', '密码是[redacted: secret]'],
    ['パスワード：abc12345', 'パスワード：[redacted: secret]'],
    ['비밀번호는 abc12345', '비밀번호는 [redacted: secret]'],
    ['password：hunter22', 'password：[redacted: secret]'],
    ['{"passwort":"geheim"}', '{"passwort":"[redacted: secret]"}'],
  ])('loses it in other languages: %s', (text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['secret'] });
    expect(redactText(expected)).toBeNull();
  });

  it.each([
    'Passwort: siehe Handbuch',
    'Passwort vergessen?',
    'Das Passwort: vergessen? Bitte anrufen.',
    'mot de passe : 8 caractères au moins',
    'contraseña: obligatoria',
    'пароль: не менее восьми знаков',
    'resenha: 4estrelas',
    '密码：必须至少8位',
    '密码：8-16位',
    '密码：10000-20000位之间',
    '密码：请联系管理员',
    '口令是什么',
    '密钥的长度为 2048 位',
    '令牌：每次 1000 个',
    'パスワード：必須',
  ])('stays where a text is about one: %s', (text) => {
    expect(redactText(text)).toBeNull();
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
    ['see //home/al/x', 'see [redacted: local path]'],
    ['/Users/nova/日程.txt', '[redacted: local path]'],
    ['open "/home/nova/My Documents/a.txt"', 'open "[redacted: local path]"'],
    ["open '/home/nova/My (old) Documents/a, b.txt': no", "open '[redacted: local path]': no"],
    ['see `/Users/nova/Library/Application Support`', 'see `[redacted: local path]`'],
    ['{\\"file\\":\\"/home/nova/My Documents/a.txt\\"}', '{\\"file\\":\\"[redacted: local path]\\"}'],
    ['"C:\\Program Files\\Nova\\a b.txt"', '"[redacted: local path]"'],
    ['"C:\\\\Program Files\\\\Nova"', '"[redacted: local path]"'],
    ['"D:/Program Files/a b.txt"', '"[redacted: local path]"'],
    ['"/home/nova/a.txt: not found"', '"[redacted: local path]: not found"'],
    ['"/home/nova/a and no quote behind', '"[redacted: local path] and no quote behind'],
    ['"/home/nova/a b\nc"', '"[redacted: local path] b\nc"'],
    ['say "see /home/nova/a b"', 'say "see [redacted: local path] b"'],
  ])('loses it: %s', (text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['local path'] });
  });

  it('loses directories that the server knows as its own, wherever they lie', () => {
    expect(redactText('wrote /strange/place/a.txt', ['/strange/place'])?.text).toBe('wrote [redacted: local path]');
    expect(redactText('wrote "/strange/place/my notes/a.txt"', ['/strange/place'])?.text).toBe(
      'wrote "[redacted: local path]"',
    );
    expect(redactText("in '/a place/of mine/x y' and more", ['/a place'])?.text).toBe(
      "in '[redacted: local path]' and more",
    );
  });
});

describe('text that shows a private address', () => {
  it.each([
    ['at 10.0.0.5:8080 now', 'at [redacted: private address] now'],
    ['http://192.168.1.7/x', 'http://[redacted: private address]/x'],
    ['http://localhost:3000/x', 'http://[redacted: private address]/x'],
    ['db.corp.internal:5432', '[redacted: private address]'],
    ['my_db.corp.internal', '[redacted: private address]'],
    ['printer.local:631 is up', '[redacted: private address] is up'],
    ['at nas.lan.', 'at [redacted: private address].'],
    ['tv.home.arpa', '[redacted: private address]'],
    ['100.64.0.1', '[redacted: private address]'],
    ['100.127.255.254:80', '[redacted: private address]'],
    ['on 0.0.0.0:80', 'on [redacted: private address]'],
    ['http://0.0.0.0/x', 'http://[redacted: private address]/x'],
  ])('loses it: %s', (text, expected) => {
    expect(redactText(text)).toEqual({ text: expected, reasons: ['private address'] });
  });

  it.each([
    '8.8.8.8',
    'version 10.0.1',
    '10.0.0',
    'http://localhostile.example/',
    'internal affairs',
    '100.63.0.1',
    '100.128.0.1',
    'version 0.0.0.0',
    '.env.local',
    'settings.local.json',
    'a.localized text',
    'https://home/nova/page',
    '1.192.168.1.1.5',
  ])('does not mistake %s for one', (text) => {
    expect(redactText(text)).toBeNull();
  });
});

describe('text that shows a process environment', () => {
  it('loses it whole, and what stands around it stays', () => {
    const dump = 'LANG=C\nGREETING=hello there\nPATH=/usr/bin\nMOOD=\nTERM=xterm\n';
    expect(redactText(`it printed:\n${dump}and ended`)).toEqual({
      text: 'it printed:\n[redacted: environment]\nand ended',
      reasons: ['environment'],
    });
    expect(redactText(dump.trimEnd())?.text).toBe('[redacted: environment]\n');
  });

  it.each(['a=1\nb=2\nc=3\nd=4\n', 'PATH=x\nHOME=y\nthen words', 'x = 1\ny = 2\nPATH = 3\nz = 4'])(
    'is not seen in %j',
    (text) => {
      expect(redactText(text)).toBeNull();
    },
  );
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
      'passwort:'.repeat(100_000),
      `Passwort: ${'x'.repeat(1_000_000)}`,
      '密码：a1b2'.repeat(100_000),
      `密码：${'a1'.repeat(500_000)}位`,
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
    ['?exp=1&sig=aF-c9_x', '?exp=1&sig=[redacted: secret]'],
    ['res_1?exp=1&sig=aF-c9_x&page=2', 'res_1?exp=1&sig=[redacted: secret]&page=2'],
    ['a?code=xyz and more', 'a?code=[redacted: secret] and more'],
    ['a?exp=1&amp;sig=aF-c&amp;page=2', 'a?exp=1&amp;sig=[redacted: secret]&amp;page=2'],
    ['a?exp=1\\u0026sig=aF-c9_x', 'a?exp=1\\u0026sig=[redacted: secret]'],
    ['to=x%3Fexp%3D1%26sig%3DaF-c', 'to=x%3Fexp%3D1%26sig%3D[redacted: secret]'],
    ['to=x%3fauth%3daF-c', 'to=x%3fauth%3d[redacted: secret]'],
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
    'what a signal? code = 1 & sig',
    'page?exp=1&size=20',
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
    'a.lan',
    '0.0.0.0:',
    'a://b:@',
    '//home/',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----\nA: -',
    '::',
    'cookie: ',
    'C:\\',
    '"C:\\',
    '"/home/',
    "'/home/a b",
    '`/home/`',
    'token',
    '?key=',
    '%26sig%3D',
    '?a_',
    'a.',
    'Bearer ',
    '_',
    'A=/\n',
    'A=/\nA=1\nA=1\nno\n',
  ];

  // Quadratic work on half a million characters would take a minute; a busy machine needs a fraction of the bound.
  it.each(hostile)('take time in proportion to their length: %j', (piece) => {
    const text = piece.repeat(Math.ceil(500_000 / piece.length));
    const started = performance.now();
    redactText(text);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
