import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeysAuthenticator } from '../../adapters/auth/keys-authenticator.ts';
import type { ApiKeyEntry } from '../../src/protocol/api-keys.ts';
import { createKeyRing } from '../../src/server/key-ring.ts';

const OWN = 'the key of the server itself';
const entry = (id: string, key: string, more: Partial<ApiKeyEntry> = {}): ApiKeyEntry => ({
  id,
  name: id,
  sha256: hash('sha256', key),
  roles: ['human'],
  tools: ['Sample'],
  rateLimit: null,
  toolRateLimits: {},
  createdAt: '2026-11-30T12:00:00Z',
  ...more,
});
const identify = (id: string, keys: ApiKeyEntry[], defaultKey = true) =>
  createKeysAuthenticator(
    OWN,
    { current: () => createKeyRing({ version: 1, defaultKey, keys }) },
    { now: () => Date.parse('2026-11-30T12:00:00Z'), monotonic: () => 0 },
  ).identify(id);

describe('a key that is asked about by its id', () => {
  it('is the one of the file, as long as it opens anything', () => {
    expect(identify('key_ci', [entry('key_ci', 'a')])).toMatchObject({ id: 'key_ci', tools: new Set(['Sample']) });
    expect(identify('key_ci', [entry('key_ci', 'a', { revokedAt: '2026-11-30T11:00:00Z' })])).toBe('revoked');
    expect(identify('key_ci', [entry('key_ci', 'a', { expiresAt: '2026-11-30T11:00:00Z' })])).toBe('expired');
    expect(identify('key_ci', [])).toBeNull();
  });

  it('is the own one, unless the file has another word for it', () => {
    expect(identify('key_default', [])).toMatchObject({ id: 'key_default', tools: null });
    expect(identify('key_default', [], false)).toBe('revoked');
    const narrowed = [entry('key_ci', OWN)];
    expect(identify('key_default', narrowed)).toMatchObject({ id: 'key_ci', tools: new Set(['Sample']) });
    expect(identify('key_default', [entry('key_ci', OWN, { revokedAt: '2026-11-30T11:00:00Z' })])).toBe('revoked');
  });
});
