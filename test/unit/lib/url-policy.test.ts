import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../../src/lib/address-policy.ts';
import { describeUrl, judgeUrl } from '../../../src/lib/url-policy.ts';

const codeOf = (text: string) => {
  const verdict = judgeUrl(text);
  return verdict.ok ? 'ok' : verdict.code;
};

describe('the URL policy', () => {
  it.each([
    'https://example.com/',
    'http://example.com:8080/a?b#c',
    'HTTPS://EXAMPLE.COM',
    'https://例え.jp/',
    'http://93.184.215.14/',
  ])('lets %s pass', (text) => {
    expect(codeOf(text)).toBe('ok');
  });

  it.each([
    '',
    'example.com',
    '/page',
    'http://',
    'https://a b/',
    `https://example.com/${'a'.repeat(9_000)}`,
    'http://1.2.3.4.5/',
  ])('takes %.30s for no URL', (text) => {
    expect(codeOf(text)).toBe('INVALID_URL');
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'gopher://example.com/',
    'blob:https://example.com/1',
  ])('refuses the scheme of %s', (text) => {
    expect(codeOf(text)).toBe('BLOCKED_URL');
  });

  it.each(['https://user:secret@example.com/', 'https://user@example.com/', 'https://:secret@example.com/'])(
    'refuses the credentials of %s, and does not repeat them',
    (text) => {
      const verdict = judgeUrl(text);
      expect(verdict).toMatchObject({ ok: false, code: 'BLOCKED_URL' });
      expect(JSON.stringify(verdict)).not.toContain('secret');
    },
  );

  it.each([0, 22, 25, 6000, 6667])('refuses port %d', (port) => {
    expect(codeOf(`http://example.com:${port}/`)).toBe('BLOCKED_URL');
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://０x7f.1/',
    'http://127。0。0。1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
  ])('refuses the address in %s', (text) => {
    expect(codeOf(text)).toBe('BLOCKED_ADDRESS');
  });

  it('opens an address that the operator allows', () => {
    expect(judgeUrl('http://0x7f.1/', undefined, [parseAddressRange('127.0.0.0/8')!]).ok).toBe(true);
  });

  it('reads a redirect against the page that it came from', () => {
    const verdict = judgeUrl('../b', new URL('https://example.com/a/c/'));
    expect(verdict.ok && verdict.url.href).toBe('https://example.com/a/b');
  });

  it('describes a URL without query and fragment', () => {
    expect(describeUrl(new URL('https://example.com:8443/a?token=1#x'))).toBe('https://example.com:8443/a?…');
  });
});
