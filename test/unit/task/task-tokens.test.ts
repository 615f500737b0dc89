import { importJWK, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTaskTokens } from '../../../src/task/task-tokens.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const claims = { toolName: '图像生成', taskId: 'task_01KBAW00000000000000000000' };

describe('the token of a task', () => {
  it('names the task and its plugin, and is valid until its time is over', async () => {
    let now = NOW;
    const tokens = createTaskTokens({ secrets: ['first secret'], now: () => now });
    const token = await tokens.sign(claims, NOW + 60_000);
    expect(await tokens.verify(token)).toEqual({ verdict: 'valid', claims, expiresAt: NOW + 60_000 });
    now = NOW + 59_999;
    expect(await tokens.verify(token)).toEqual({ verdict: 'valid', claims, expiresAt: NOW + 60_000 });
    now = NOW + 60_000;
    expect(await tokens.verify(token)).toEqual({ verdict: 'expired' });
  });

  it('is verified by another server with the same secret, and by any with the public key', async () => {
    const now = () => NOW;
    const token = await createTaskTokens({ secrets: ['new', 'old'], now }).sign(claims, NOW + 60_000);
    expect((await createTaskTokens({ secrets: ['new'], now }).verify(token)).verdict).toBe('valid');
    expect((await createTaskTokens({ secrets: ['newest', 'new'], now }).verify(token)).verdict).toBe('valid');
    expect((await createTaskTokens({ secrets: ['old'], now }).verify(token)).verdict).toBe('forged');
    const [jwk] = await createTaskTokens({ secrets: ['new'], now }).publicKeys();
    expect(Object.keys(jwk!).toSorted()).toEqual(['crv', 'kty', 'x']);
    const verified = await jwtVerify(token, await importJWK(jwk!, 'EdDSA'), { currentDate: new Date(NOW) });
    expect(verified.payload.sub).toBe(claims.taskId);
  });

  it('is refused when anything of it was changed, or it is signed otherwise', async () => {
    const tokens = createTaskTokens({ secrets: ['first secret'], now: () => NOW });
    const token = await tokens.sign(claims, NOW + 60_000);
    const [header, body, signature] = token.split('.') as [string, string, string];
    const other = await tokens.sign({ ...claims, taskId: 'task_01KBAW00000000000000000001' }, NOW + 60_000);
    const hmac = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', typ: 'vcp-task+jwt' })
      .setAudience(claims.toolName)
      .setSubject(claims.taskId)
      .setExpirationTime(NOW / 1_000 + 60)
      .sign(new TextEncoder().encode('first secret'.padEnd(32, ' ')));
    const unsigned = new UnsecuredJWT({})
      .setAudience(claims.toolName)
      .setSubject(claims.taskId)
      .setExpirationTime(NOW / 1_000 + 60)
      .encode();
    const forged = [
      '',
      'token',
      '..',
      `${header}.${body}.`,
      `${header}.${other.split('.')[1]}.${signature}`,
      `${header}.${body}.${other.split('.')[2]}`,
      `${token}.${token}`,
      hmac,
      unsigned,
    ];
    for (const one of forged) expect(await tokens.verify(one), one).toEqual({ verdict: 'forged' });
  });
});
