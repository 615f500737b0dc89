import { describe, expect, it } from 'vitest';
import { createTaskTokenVerifier } from '../../../src/task/task-token-verifier.ts';
import { createTaskTokens } from '../../../src/task/task-tokens.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const claims = { toolName: 'Painter', taskId: 'task_01KBAW00000000000000000000' };
const tokensOf = (...secrets: [string, ...string[]]) => createTaskTokens({ secrets, now: () => NOW });
const verifierOf = async (tokens: ReturnType<typeof tokensOf>, now = NOW) =>
  createTaskTokenVerifier({ publicKeys: await tokens.publicKeys(), now: () => now });

describe('a verifier with public keys alone', () => {
  it('knows the tokens of its server, also those that it signed with older keys, and until when they are good', async () => {
    const token = await tokensOf('old').sign(claims, NOW + 60_999);
    const verifier = await verifierOf(tokensOf('new', 'old'));
    expect(await verifier.verify(token)).toEqual({ verdict: 'valid', claims, expiresAt: NOW + 60_000 });
    expect((await verifier.verify(await tokensOf('new').sign(claims, NOW + 1_000))).verdict).toBe('valid');
  });

  it('says the same of a token as its server', async () => {
    const tokens = tokensOf('new');
    const token = await tokens.sign(claims, NOW + 60_000);
    const [header, body, signature] = token.split('.') as [string, string, string];
    const others = [
      token,
      '',
      `${header}.${body}.`,
      `${header}.${body}.${signature.slice(2)}`,
      `${btoa('{"alg":"none"}')}.${body}.`,
      await tokensOf('other').sign(claims, NOW + 60_000),
      await tokens.sign(claims, NOW),
    ];
    const verifier = await verifierOf(tokens);
    for (const other of others) expect(await verifier.verify(other), other).toEqual(await tokens.verify(other));
    expect(await (await verifierOf(tokens, NOW + 60_000)).verify(token)).toEqual({ verdict: 'expired' });
  });
});
