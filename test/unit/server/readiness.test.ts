import { describe, expect, it } from 'vitest';
import type { ReadinessCheck } from '../../../src/ports/readiness-check.ts';
import { createReadiness } from '../../../src/server/readiness.ts';
import { createMemoryApp } from '../../support/memory-runtime.ts';

const passing = (name: string, note: string | null = null): ReadinessCheck => ({ name, check: async () => note });
const failing: ReadinessCheck = { name: 'disk', check: () => Promise.reject(new Error('/secret/place is full')) };
const limits = { readinessCheckMs: 20, readinessCacheMs: 1_000 };

describe('readiness', () => {
  it('is that every check passes; a note is no failure', async () => {
    const { report } = createReadiness([passing('a'), passing('b', 'look at this')], { monotonic: () => 0 }, limits);
    expect(await report()).toEqual({
      ready: true,
      checks: [
        { name: 'a', ok: true, reason: null, durationMs: 0 },
        { name: 'b', ok: true, reason: 'look at this', durationMs: 0 },
      ],
    });
  });

  it('is looked at once in a while, however many ask', async () => {
    let now = 0;
    let looks = 0;
    const counted: ReadinessCheck = {
      name: 'counted',
      check: async () => {
        looks += 1;
        return null;
      },
    };
    const { report } = createReadiness([counted], { monotonic: () => now }, limits);
    await Promise.all([report(), report(), report()]);
    now = 999;
    await report();
    expect(looks).toBe(1);
    now = 1_000;
    await report();
    expect(looks).toBe(2);
  });

  it('does not wait for a check that hangs, and does not begin it again while it hangs', async () => {
    let now = 0;
    let begun = 0;
    let end: (note: string | null) => void = () => undefined;
    const hanging: ReadinessCheck = {
      name: 'hanging',
      check: () => {
        begun += 1;
        return new Promise((resolve) => (end = resolve));
      },
    };
    const { report } = createReadiness([passing('a'), hanging], { monotonic: () => now }, limits);
    expect(await report()).toMatchObject({
      ready: false,
      checks: [{ ok: true }, { ok: false, reason: 'did not answer within 20 ms' }],
    });
    now = 2_000;
    expect(await report()).toMatchObject({ ready: false });
    expect(begun).toBe(1);
    end(null);
    await new Promise((resolve) => setTimeout(resolve, 0));
    now = 4_000;
    const recovered = report();
    end(null);
    expect([await recovered, begun]).toMatchObject([{ ready: true }, 2]);
  });
});

describe('GET /readyz', () => {
  const { send } = createMemoryApp({
    manifests: [{ name: 'Broken' }],
    app: { readinessChecks: [passing('database'), failing] },
  });

  it.each([null, 'alice'])('tells %s only whether', async (as) => {
    const response = await send('/readyz', { as });
    expect([response.status, await response.json()]).toEqual([503, { ready: false }]);
  });

  it('is no place to try keys at', async () => {
    expect((await send('/readyz', { as: 'nobody-we-know' })).status).toBe(401);
  });

  it('tells an operator what is wrong, and what to know all the same', async () => {
    const response = await send('/readyz', { as: 'operator' });
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        ready: false,
        checks: [
          { name: 'plugins', ok: true, reason: expect.stringMatching(/^1 refused/) as string, durationMs: 0 },
          { name: 'database', ok: true, reason: null, durationMs: 0 },
          { name: 'disk', ok: false, reason: '/secret/place is full', durationMs: 0 },
        ],
      },
    ]);
  });

  it('looks at nothing any more when the server shuts down', async () => {
    const closing = createMemoryApp({ app: { isReady: () => false, readinessChecks: [failing] } });
    const response = await closing.send('/readyz', { as: 'operator' });
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        ready: false,
        checks: [{ name: 'accepting-calls', ok: false, reason: 'the server is shutting down', durationMs: 0 }],
      },
    ]);
  });
});

describe('GET /metrics', () => {
  const metricsText = async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'a 1\n' });

  it('is for operators', async () => {
    const { send } = createMemoryApp({ app: { metricsText } });
    const answers = await Promise.all(['operator', 'alice', null].map((as) => send('/metrics', { as })));
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 401]);
    expect(answers[0]?.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answers[0]?.text()).toBe('a 1\n');
  });

  it('is not there where nobody keeps figures', async () => {
    expect((await createMemoryApp().send('/metrics', { as: 'operator' })).status).toBe(404);
  });
});
