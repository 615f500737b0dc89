import { describe, expect, it } from 'vitest';
import { createMemoryApp } from '../../support/memory-runtime.ts';
import type { Authentication } from '../../../src/ports/authenticator.ts';

/** A server that is told the client's address, and whose clock is moved by hand. */
const createWatchedApp = (authenticate?: (key: string) => Authentication) => {
  const at = { ms: 5_000, address: '192.0.2.1' as string | null };
  const parts = createMemoryApp({
    limits: { freeWrongKeys: 3 },
    app: {
      clock: { now: () => Date.now(), monotonic: () => at.ms },
      connections: { clientAddress: () => at.address, clientGone: () => null },
      ...(authenticate === undefined ? {} : { authenticator: { authenticate } }),
    },
  });
  const wrong = () => parts.send('/v1/tools', { as: 'nobody' });
  const guess = async (times: number) => {
    for (let time = 0; time < times; time += 1) await wrong();
  };
  return { ...parts, at, wrong, guess };
};

describe('an address that sends wrong keys', () => {
  it('is told so at first, and then to wait, each time longer', async () => {
    const { wrong, at, logged } = createWatchedApp();
    const answers: [number, string | null][] = [];
    for (let round = 0; round < 8; round += 1) {
      const { status, headers } = await wrong();
      answers.push([status, headers.get('retry-after')]);
      at.ms += Number(headers.get('retry-after') ?? 0) * 1_000;
    }
    expect(answers).toEqual([
      [401, null],
      [401, null],
      [401, null],
      [429, '1'],
      [429, '2'],
      [429, '4'],
      [429, '8'],
      [429, '16'],
    ]);
    expect(logged.filter(({ event }) => event === 'auth.wrong-keys').map(({ fields }) => fields)[0]).toEqual({
      address: '192.0.2.1',
      failures: 4,
      waitSeconds: 1,
    });
  });

  it('gets a problem that says what to do', async () => {
    const { wrong, guess } = createWatchedApp();
    await guess(3);
    const response = await wrong();
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      status: 429,
      code: 'TOO_MANY_WRONG_KEYS',
      detail:
        'the key is not known to this server, and many wrong ones have come from this address: wait 1 s before you try another',
    });
  });

  it('never waits more than a few minutes, and does not fill the log', async () => {
    const { wrong, guess, at, logged } = createWatchedApp();
    for (let round = 0; round < 30; round += 1) {
      await guess(20);
      at.ms += Number((await wrong()).headers.get('retry-after') ?? 0) * 1_000;
    }
    expect(Number((await wrong()).headers.get('retry-after'))).toBe(300);
    expect(logged.filter(({ event }) => event === 'auth.wrong-keys').length).toBeLessThanOrEqual(31);
  });

  it('is not slowed down for its right keys', async () => {
    const { send, call, guess } = createWatchedApp();
    await guess(500);
    expect((await send('/v1/tools')).status).toBe(200);
    expect((await call({ tool: 'Sample' }, 'bob')).status).toBe(200);
  });

  it('is not another address', async () => {
    const { wrong, guess, at } = createWatchedApp();
    await guess(10);
    at.address = '192.0.2.2';
    expect((await wrong()).status).toBe(401);
  });

  it('is one with its neighbours in an IPv6 network', async () => {
    const { wrong, guess, at } = createWatchedApp();
    at.address = '2001:db8:1:2::1';
    await guess(3);
    at.address = '2001:db8:1:2:ffff::9';
    expect((await wrong()).status).toBe(429);
    at.address = '2001:db8:1:3::1';
    expect((await wrong()).status).toBe(401);
  });

  it('is not who a header says that it is', async () => {
    const { send, guess } = createWatchedApp();
    await guess(3);
    const headers = { 'x-forwarded-for': '198.51.100.9', forwarded: 'for=198.51.100.9', 'x-real-ip': '198.51.100.9' };
    expect((await send('/v1/tools', { as: 'nobody', headers })).status).toBe(429);
  });
});

describe('what is no guess', () => {
  it('is a request without a key', async () => {
    const { send, wrong } = createWatchedApp();
    for (let round = 0; round < 50; round += 1) expect((await send('/v1/tools', { as: null })).status).toBe(401);
    expect((await wrong()).status).toBe(401);
  });

  it.each(['expired', 'revoked'] as const)('is a key that is %s, whose holder is told so', async (former) => {
    const { send } = createWatchedApp(() => former);
    for (let round = 0; round < 50; round += 1) {
      const response = await send('/v1/tools');
      expect([response.status, response.headers.get('www-authenticate'), await response.json()]).toMatchObject([
        401,
        'Bearer realm="vcp", error="invalid_token"',
        { code: 'UNAUTHORIZED', detail: expect.stringContaining(former) as unknown },
      ]);
    }
  });

  it('is a call that fails, or that the key may not make', async () => {
    const { call, wrong } = createWatchedApp();
    for (let round = 0; round < 20; round += 1) {
      expect((await call({ tool: 'Nobody' })).status).toBe(200);
      expect((await call({ tool: 'Sample' }, 'limited')).status).toBe(403);
      expect((await call('{')).status).toBe(400);
    }
    expect((await wrong()).status).toBe(401);
  });
});

it('is not slowed down where the runtime does not tell who asks', async () => {
  const { wrong, guess, at } = createWatchedApp();
  at.address = null;
  await guess(20);
  expect((await wrong()).status).toBe(401);
});
