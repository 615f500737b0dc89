import { describe, expect, it } from 'vitest';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const FIELDS = [
  'ratelimit-policy',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
];
const fieldsOf = ({ headers }: Response) =>
  Object.fromEntries(FIELDS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));

/** A server whose clock is moved by hand, in milliseconds. */
const createTimedApp = () => {
  const time = { ms: 1_000.5 };
  const clock = { now: () => Date.now(), monotonic: () => time.ms };
  const parts = createMemoryApp({ manifests: [manifest(), manifest({ name: 'Other' })], app: { clock } });
  return { ...parts, time };
};

describe('a key with a rate limit', () => {
  it('reads in every answer where it stands', async () => {
    const { send } = createTimedApp();
    expect(fieldsOf(await send('/v1/tools', { as: 'slow' }))).toEqual({
      'ratelimit-policy': '"key";q=3;w=60',
      ratelimit: '"key";r=2;t=20',
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
      'ratelimit-reset': '20',
    });
    const missing = await send('/v1/results/nothing', { as: 'slow' });
    expect([missing.status, missing.headers.get('ratelimit')]).toEqual([404, '"key";r=1;t=20']);
    const document = await send('/openapi.json', { as: 'slow' });
    expect([document.status, document.headers.get('ratelimit')]).toEqual([200, '"key";r=0;t=20']);
  });

  it('is refused beyond it, told when to come again, and let in then', async () => {
    const { send, time } = createTimedApp();
    for (let request = 0; request < 3; request += 1) await send('/v1/tools', { as: 'slow' });
    time.ms += 400;
    const refused = await send('/v1/tools', { as: 'slow' });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect([refused.status, await refused.json(), fieldsOf(refused)]).toMatchObject([
      429,
      {
        type: 'urn:vcp:problem:rate-limited',
        title: 'Too Many Requests',
        status: 429,
        code: 'RATE_LIMITED',
        detail: 'the rate limit of this key is used up (3 in 60 s); try again in 20 s',
      },
      {
        'ratelimit-policy': '"key";q=3;w=60',
        ratelimit: '"key";r=0;t=20',
        'ratelimit-limit': '3',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '20',
        'retry-after': '20',
      },
    ]);
    time.ms += 20_000;
    expect((await send('/v1/tools', { as: 'slow' })).status).toBe(200);
  });

  it('has its body left unread and its tool not run when it is refused', async () => {
    const { call, send, delivered } = createTimedApp();
    for (let request = 0; request < 3; request += 1) await send('/v1/tools', { as: 'slow' });
    expect((await call('{ not even JSON', 'slow')).status).toBe(429);
    expect((await call({ tool: 'Sample' }, 'slow')).status).toBe(429);
    expect(delivered).toEqual([]);
  });

  it('does not use up what others have', async () => {
    const { send } = createTimedApp();
    for (let request = 0; request < 5; request += 1) await send('/v1/tools', { as: 'slow' });
    expect((await send('/v1/tools', { as: 'careful' })).status).toBe(200);
  });
});

describe('a rate limit for one tool', () => {
  it('counts the calls of that tool, in both forms, before it is run', async () => {
    const { call, send, delivered } = createTimedApp();
    const first = await call({ tool: 'Sample' }, 'careful');
    expect([first.status, fieldsOf(first)]).toEqual([
      200,
      {
        'ratelimit-policy': '"key";q=10;w=60, "tool";q=2;w=60',
        ratelimit: '"key";r=9;t=6, "tool";r=1;t=30',
        'ratelimit-limit': '2',
        'ratelimit-remaining': '1',
        'ratelimit-reset': '30',
      },
    ]);
    const block = '<<<[TOOL_REQUEST]>>>\ntool_name:「始」Sample「末」\n<<<[END_TOOL_REQUEST]>>>';
    const second = await send('/v1/human/tool', {
      as: 'careful',
      method: 'POST',
      body: block,
      headers: { 'content-type': 'text/plain' },
    });
    expect([second.status, second.headers.get('ratelimit')]).toEqual([200, '"key";r=8;t=6, "tool";r=0;t=30']);
    const refused = await call({ tool: 'Sample' }, 'careful');
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      '30',
      {
        code: 'RATE_LIMITED',
        detail: 'the rate limit of the calls of this tool by this key is used up (2 in 60 s); try again in 30 s',
      },
    ]);
    expect(delivered).toHaveLength(2);
  });

  it('leaves other tools, and everything that is no call, alone', async () => {
    const { call, send } = createTimedApp();
    for (let round = 0; round < 3; round += 1) await call({ tool: 'Sample' }, 'careful');
    const other = await call({ tool: 'Other' }, 'careful');
    expect([other.status, other.headers.get('ratelimit-policy')]).toEqual([200, '"key";q=10;w=60']);
    expect((await send('/v1/tools/Sample', { as: 'careful' })).status).toBe(200);
  });

  it('does not count a call that was refused for what it asks', async () => {
    const { call } = createTimedApp();
    for (let round = 0; round < 3; round += 1) await call({ tool: 'Sample', surprise: true }, 'careful');
    expect((await call({ tool: 'Sample' }, 'careful')).headers.get('ratelimit')).toContain('"tool";r=1;');
  });

  it('counts the calls that the tool fails', async () => {
    const failing = createMemoryApp({ answer: () => ({ ...success(null), status: 'nonsense' }) });
    expect((await failing.call({ tool: 'Sample' }, 'careful')).status).toBe(200);
    expect((await failing.call({ tool: 'Sample' }, 'careful')).status).toBe(200);
    expect((await failing.call({ tool: 'Sample' }, 'careful')).status).toBe(429);
  });
});

it('is not there for a key without a limit', async () => {
  const { call, send } = createTimedApp();
  for (let request = 0; request < 50; request += 1) {
    const response = await send('/v1/tools');
    expect([response.status, fieldsOf(response)]).toEqual([200, {}]);
  }
  expect(fieldsOf(await call({ tool: 'Sample' }))).toEqual({});
});

it('is shown to pages of other origins', async () => {
  const { send } = createMemoryApp({ app: { corsOrigins: () => ['https://app.example'] } });
  const response = await send('/v1/tools', { as: 'slow', headers: { origin: 'https://app.example' } });
  const exposed = response.headers.get('access-control-expose-headers')?.split(',') ?? [];
  expect(exposed).toEqual(
    expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'ratelimit-remaining', 'retry-after']),
  );
});
