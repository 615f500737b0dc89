import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obtainApiKey } from '../../adapters/node/api-key.ts';
import { createKeysAuthenticator } from '../../adapters/auth/keys-authenticator.ts';
import { createKeyRing } from '../../src/server/key-ring.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-key-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the default key', () => {
  it('is made once, however many servers start in the same moment', async () => {
    const keys = await Promise.all(Array.from({ length: 40 }, () => obtainApiKey(undefined, directory)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^vcp_[\w-]{43}$/);
    expect(readdirSync(directory)).toEqual(['api-key']);
    expect(statSync(join(directory, 'api-key')).mode & 0o777).toBe(0o600);
  });

  it('is the configured one when there is one, and no file is made then', async () => {
    expect(await obtainApiKey('configured-by-hand', directory)).toBe('configured-by-hand');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is not made up when the file holds none', async () => {
    writeFileSync(join(directory, 'api-key'), '\n');
    await expect(obtainApiKey(undefined, directory)).rejects.toThrow('holds no usable key');
  });
});

describe('an authenticator', () => {
  const clock = { now: () => Date.parse('2026-11-30T12:00:00Z'), monotonic: () => 0 };
  const authenticatorOf = (defaultKey: boolean, ownKey = 'the-default-key') => {
    const ring = createKeyRing({
      version: 1,
      defaultKey,
      keys: [
        {
          id: 'key_a',
          name: 'a',
          // SHA-256 of "the-key-of-a".
          sha256: '5a7196107cc2255d53c1c48d2bf407557de9535368e1e9ed0a02734151e0f0df',
          roles: ['ai'],
          tools: null,
          rateLimit: null,
          toolRateLimits: {},
          createdAt: '2026-11-30T12:00:00Z',
          expiresAt: '2026-11-30T12:00:01Z',
        },
      ],
    });
    return createKeysAuthenticator(ownKey, { current: () => ring }, clock);
  };

  it('knows the default key as one that may do everything, and nothing that is nearly it', async () => {
    const { authenticate } = authenticatorOf(true);
    expect(await authenticate('the-default-key')).toEqual({
      id: 'key_default',
      name: 'default',
      roles: new Set(['human', 'workflow', 'ai', 'bridge', 'node', 'operator', 'admin']),
      tools: null,
    });
    for (const wrong of ['', 'the-default-ke', 'the-default-keyx', 'THE-DEFAULT-KEY', ' the-default-key'])
      expect(await authenticate(wrong)).toBeNull();
  });

  it('knows the keys of the file beside it', async () => {
    expect(await authenticatorOf(true).authenticate('the-key-of-a')).toMatchObject({ id: 'key_a' });
  });

  it('does not open to the default key once it is switched off', async () => {
    const { authenticate } = authenticatorOf(false);
    expect(await authenticate('the-default-key')).toBe('revoked');
    expect(await authenticate('the-key-of-a')).toMatchObject({ id: 'key_a' });
  });

  it.each([true, false])('goes by the file for a key that is in both, the default key being on: %s', async (isOn) => {
    const { authenticate } = authenticatorOf(isOn, 'the-key-of-a');
    expect(await authenticate('the-key-of-a')).toMatchObject({ id: 'key_a', roles: new Set(['ai']) });
  });

  it('does not take a hash for its key', async () => {
    const sha256 = '5a7196107cc2255d53c1c48d2bf407557de9535368e1e9ed0a02734151e0f0df';
    expect(await authenticatorOf(true).authenticate(sha256)).toBeNull();
  });
});
