import { describe, expect, it } from 'vitest';
import type { Authentication } from '../../../src/ports/authenticator.ts';
import { createCallerRights } from '../../../src/server/caller-rights.ts';
import { createKeyRing } from '../../../src/server/key-ring.ts';

const identity = (roles: readonly 'human'[] | readonly 'operator'[] | readonly 'node'[], tools: string[] | null) => ({
  id: 'key_x',
  name: 'x',
  roles: new Set(roles),
  tools: tools === null ? null : new Set(tools),
});
const rights = (found: Authentication) => createCallerRights({ identify: () => found });

describe('the rights of a key that is not there to be shown', () => {
  it.each<[string, Authentication, string | null]>([
    ['may use the tool', identity(['human'], null), null],
    ['may use the tool by name', identity(['human'], ['Sample']), null],
    ['may use others', identity(['human'], ['Other']), 'this key may not use the tool "Sample"'],
    [
      'uses none',
      identity(['node'], null),
      'this key may use no tools: it needs one of the roles human, workflow, ai, bridge, operator, admin, and has node',
    ],
    ['is revoked', 'revoked', 'the key that this was made with has been revoked'],
    ['has expired', 'expired', 'the key that this was made with has expired'],
    ['is gone', null, 'the key that this was made with is not known to this server any more'],
  ])('one that %s', (_, found, words) => {
    expect(rights(found).refusalOf('key_x', 'Sample')).toBe(words);
  });

  it('sees its own, and others as an operator', () => {
    expect(rights('revoked').maySee('key_x', 'key_x')).toBe(true);
    expect(rights('revoked').maySee('key_x', 'key_y')).toBe(false);
    expect(rights(identity(['human'], null)).maySee('key_x', 'key_y')).toBe(false);
    expect(rights(identity(['operator'], null)).maySee('key_x', 'key_y')).toBe(true);
  });

  it('are those of the keys file', () => {
    const entry = {
      id: 'key_ci',
      name: 'ci',
      sha256: 'a'.repeat(64),
      roles: ['human' as const],
      tools: null,
      rateLimit: null,
      toolRateLimits: {},
      createdAt: '2026-01-01T00:00:00Z',
      expiresAt: '2026-06-01T00:00:00Z',
    };
    const ring = createKeyRing({ version: 1, defaultKey: true, keys: [entry] });
    const june = Date.parse('2026-06-01T00:00:00Z');
    expect(ring.get('key_ci', june - 1)).toMatchObject({ id: 'key_ci' });
    expect([ring.get('key_ci', june), ring.get('key_other', june)]).toEqual(['expired', null]);
  });
});
