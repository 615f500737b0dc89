import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { createKeyRing } from '../../../src/server/key-ring.ts';
import { readApiKeys } from '../../../src/server/read-api-keys.ts';

const hashOf = (digit: string) => digit.repeat(64);
const entry = (more: Record<string, unknown> = {}) => ({
  id: 'key_a',
  name: 'a',
  sha256: hashOf('a'),
  roles: ['human'],
  createdAt: '2026-11-30T12:00:00Z',
  ...more,
});
const read = (file: unknown) => readApiKeys(typeof file === 'string' ? file : JSON.stringify(file), DEFAULT_LIMITS);
const ringOf = (...keys: object[]) => {
  const found = read({ version: 1, keys });
  if (!found.ok) throw new Error(JSON.stringify(found.issues));
  return createKeyRing(found.file);
};
const issuesOf = (file: unknown) => {
  const found = read(file);
  return found.ok ? [] : found.issues.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe('a keys file', () => {
  it('needs to say of a key only who it is and what it is for', () => {
    expect(read({ version: 1, keys: [entry()] })).toEqual({
      ok: true,
      file: {
        version: 1,
        defaultKey: true,
        keys: [{ ...entry(), tools: null, rateLimit: null, toolRateLimits: {} }],
      },
    });
  });

  it.each<[string, unknown, string]>([
    ['is not JSON', '{"version": 1,', ' is not JSON'],
    ['is empty', '', ' is not JSON'],
    ['is of another version', { version: 2, keys: [] }, '/version'],
    [
      'has a word that is not known',
      { version: 1, keys: [entry({ role: 'human' })] },
      '/keys/0/role unknown field "role"',
    ],
    ['holds a key as it is', { version: 1, keys: [entry({ sha256: 'vcp_secret' })] }, '/keys/0/sha256 must be 64 hex'],
    ['knows a role that is none', { version: 1, keys: [entry(), entry({ roles: ['root'] })] }, '/keys/1/roles/0'],
    [
      'limits to nothing',
      { version: 1, keys: [entry({ rateLimit: { requests: 0, windowSeconds: 1 } })] },
      '/keys/0/rateLimit/requests',
    ],
    [
      'takes the id of the default key',
      { version: 1, keys: [entry({ id: 'key_default' })] },
      '/keys/0/id must be key_',
    ],
    [
      'has an id twice',
      { version: 1, keys: [entry(), entry({ sha256: hashOf('b') })] },
      '/keys/1/id is that of /keys/0 too',
    ],
    [
      'has a key twice',
      { version: 1, keys: [entry(), entry({ id: 'key_b' })] },
      '/keys/1/sha256 is that of /keys/0 too',
    ],
    ['has __proto__', '{"version":1,"keys":[],"__proto__":{}}', '/__proto__'],
  ])('is refused, with the place, when it %s', (_what, file, issue) => {
    const issues = issuesOf(file);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toContain(issue);
  });

  it('does not have its hashes told when it is refused', () => {
    expect(issuesOf({ version: 1, keys: [entry({ sha256: 'A'.repeat(64) })] }).join('')).not.toContain('AAAA');
  });
});

describe('a key ring', () => {
  const NOW = Date.parse('2026-11-30T12:00:00Z');

  it('tells whose key has a hash', () => {
    const rate = { requests: 5, windowSeconds: 60 };
    const ring = ringOf(
      entry({ roles: ['ai', 'bridge'], tools: ['Sample'], rateLimit: rate, toolRateLimits: { Sample: rate } }),
      entry({ id: 'key_b', name: 'b', sha256: hashOf('b') }),
    );
    expect(ring.find(hashOf('a'), NOW)).toEqual({
      id: 'key_a',
      name: 'a',
      roles: new Set(['ai', 'bridge']),
      tools: new Set(['Sample']),
      rateLimits: { all: rate, tools: new Map([['Sample', rate]]) },
    });
    expect(ring.find(hashOf('b'), NOW)).toMatchObject({ id: 'key_b', tools: null });
    expect([ring.find(hashOf('c'), NOW), ring.find('', NOW), ring.find('__proto__', NOW)]).toEqual([null, null, null]);
  });

  it('knows a key until its last moment, and after that as expired', () => {
    const ring = ringOf(entry({ expiresAt: '2026-11-30T13:00:00+01:00' }));
    expect(ring.find(hashOf('a'), NOW - 1)).toMatchObject({ id: 'key_a' });
    expect(ring.find(hashOf('a'), NOW)).toBe('expired');
  });

  it('knows a revoked key as revoked, whenever that was', () => {
    const ring = ringOf(entry({ revokedAt: '2099-01-01T00:00:00Z', expiresAt: '2020-01-01T00:00:00Z' }));
    expect(ring.find(hashOf('a'), NOW)).toBe('revoked');
  });

  it('leaves the default key in force unless the file says otherwise', () => {
    expect(ringOf().defaultKey).toBe(true);
    const off = read({ version: 1, defaultKey: false, keys: [] });
    expect(off.ok && createKeyRing(off.file).defaultKey).toBe(false);
  });
});
