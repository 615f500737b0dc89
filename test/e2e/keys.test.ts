// Keys as an operator makes, limits and revokes them while the server runs, and what their holders see of it.
import { hash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../adapters/node/api-key.ts';
import { changeKeysFile } from '../../adapters/node/change-keys-file.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { ApiKeyEntry } from '../../src/protocol/api-keys.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type CommandRun,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const { sha256 } = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
  writePlugin(home.plugins, { name: 'Mirror', module: 'mirror.mjs', moduleText: ECHO_MODULE });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256!, VCP_LIMIT_FREE_WRONG_KEYS: '3' });
}, 60_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const keys = (...args: string[]): Promise<CommandRun> => vcp(home, ['keys', ...args]);
const entered = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await keys('new', ...args);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('not shown again') as unknown });
  return stdout.trim();
};
/** Makes a key as the command line does, without a process for it. */
const made = (name: string, more: Partial<ApiKeyEntry> = {}): string => {
  const key = makeApiKey();
  const plain = { roles: ['human' as const], tools: null, rateLimit: null, toolRateLimits: {} };
  const entry = {
    id: `key_${name}`,
    name,
    sha256: hash('sha256', key),
    createdAt: '2026-11-30T12:00:00Z',
    ...plain,
    ...more,
  };
  changeKeysFile(join(home.data, 'keys.json'), DEFAULT_LIMITS, (before) => ({
    file: { ...before, keys: [...before.keys, entry] },
    outcome: undefined,
  }));
  return key;
};
const as = (key: string, path: string, body?: object): Promise<Response> =>
  server.request(path, {
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
const call = (key: string, tool = 'Echo') => as(key, '/v1/human/tool', { tool, arguments: { a: 1 } });
const problemOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });

describe('a key', () => {
  it('opens the server as soon as it is made, and no more as soon as it is revoked', async () => {
    const key = await entered('--name', 'short-lived');
    expect(key).toMatch(/^vcp_[\w-]{43}$/);
    expect((await call(key)).status).toBe(200);
    const revoked = await keys('revoke', 'short-lived');
    expect(revoked).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('opens nothing') as unknown });
    expect(await problemOf(await call(key))).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      detail: 'this key has been revoked; ask the operator of this server for another',
    });
    expect(await keys('revoke', 'short-lived')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('was revoked before') as unknown,
    });
  });

  it('may be used by the command line', async () => {
    const key = made('cli');
    const { code, stdout } = await vcp(home, ['call', 'Echo', '--arg', 'a=1', '--key', key], { VCP_URL: server.url });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'success', actor: { name: 'cli' } }]);
  });

  it('uses the tools that it was given, and sees no others', async () => {
    const key = made('one-tool', { roles: ['ai'], tools: ['Echo'] });
    expect((await call(key)).status).toBe(200);
    expect(await problemOf(await call(key, 'Mirror'))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const { tools } = (await (await as(key, '/v1/tools')).json()) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['Echo']);
    expect((await as(key, '/v1/tools/Mirror')).status).toBe(404);
  });

  it('of a node uses none', async () => {
    const key = made('far-away', { roles: ['node'] });
    expect(await problemOf(await call(key))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('sees what its own calls left, and an operator what all left', async () => {
    const [ada, bob, ops] = [made('ada'), made('bob'), made('ops', { roles: ['operator'] })];
    const { id, execution } = (await (await call(ada)).json()) as CanonicalToolResult;
    for (const path of [`/v1/results/${id}`, `/v1/records/${execution.recordId}`]) {
      const statuses = await Promise.all([ada, bob, ops, server.key].map(async (key) => (await as(key, path)).status));
      expect([path, statuses]).toEqual([path, [200, 404, 200, 200]]);
    }
    const { records } = (await (await as(bob, '/v1/records')).json()) as { records: unknown[] };
    expect(records).toEqual([]);
  });

  it('that is limited is told where it stands, and refused with the time to wait', async () => {
    const key = await entered('--name', 'limited', '--rate', '5/1h', '--tool-rate', 'Echo=2/1h');
    const first = await call(key);
    expect([first.status, first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      200,
      '"key";q=5;w=3600, "tool";q=2;w=3600',
      '"key";r=4;t=720, "tool";r=1;t=1800',
    ]);
    expect((await call(key)).status).toBe(200);
    const third = await call(key);
    const wait = Number(third.headers.get('retry-after'));
    expect([third.status, third.headers.get('ratelimit-remaining')]).toEqual([429, '0']);
    expect(wait).toBeGreaterThan(1_700);
    expect(wait).toBeLessThanOrEqual(1_800);
    expect(await problemOf(third)).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await as(key, '/v1/tools')).status).toBe(200);
    expect((await as(key, '/v1/tools')).status).toBe(200);
    const sixth = await as(key, '/v1/tools');
    expect([sixth.status, sixth.headers.get('ratelimit-limit')]).toEqual([429, '5']);
    const { code, stderr } = await vcp(home, ['tools', '--key', key], { VCP_URL: server.url });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('try again in') as unknown });
  });

  it('ends when it was to end', async () => {
    const lasting = made('lasting', { expiresAt: '2099-01-01T00:00:00Z' });
    expect((await call(lasting)).status).toBe(200);
    const key = made('past', { expiresAt: '2026-01-01T00:00:00Z' });
    expect(await problemOf(await call(key))).toMatchObject({
      status: 401,
      detail: 'this key has expired; ask the operator of this server for another',
    });
  });
});

describe('a guesser', () => {
  it('is slowed down, and nobody else from the same address', async () => {
    const right = made('neighbour');
    const answers: number[] = [];
    for (let guess = 0; guess < 8; guess += 1) answers.push((await as(`vcp_guess-${guess}`, '/v1/tools')).status);
    expect(answers).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    const slowed = await as('vcp_guess', '/v1/tools');
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await problemOf(slowed)).toMatchObject({ code: 'TOO_MANY_WRONG_KEYS' });
    expect((await server.request('/v1/tools')).status).toBe(200);
    expect((await call(right)).status).toBe(200);
    await expect.poll(server.stderr).toContain('"auth.wrong-keys"');
  });
});

describe('a keys file that breaks', () => {
  it('leaves the keys in force, and the log says where it is broken', async () => {
    const key = made('kept');
    expect((await call(key)).status).toBe(200);
    const path = join(home.data, 'keys.json');
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.replace('"version": 1', '"version": "one"'));
    expect((await call(key)).status).toBe(200);
    const refused = await keys('new', '--name', 'more');
    writeFileSync(path, good);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`the keys file ${path} cannot be used: /version: must be 1`);
    await expect.poll(server.stderr).toMatch(/"keys.not-loaded".*\/version: must be 1/);
    expect((await call(made('more'))).status).toBe(200);
  });
});

describe('vcp keys', () => {
  it('lists them, without anything that could be used', async () => {
    const key = await entered(
      '--name',
      'listed',
      '--role',
      'ai',
      '--role',
      'human',
      '--rate',
      '60/m',
      '--tool',
      'Echo',
      '--expires',
      '2099-01-31',
    );
    const [table, json] = await Promise.all([keys('list'), keys('list', '--json')]);
    expect(table.stdout).toMatch(/^key_default +default +all +all +- +active$/m);
    expect(table.stdout).toMatch(
      /^key_[0-9a-f]{16} +listed +ai,human +Echo +60\/60s +active until 2099-01-31T00:00:00\.000Z$/m,
    );
    expect(table.stdout).toMatch(/^key_[0-9a-f]{16} +short-lived .* revoked 2\d{3}-/m);
    const listed = (JSON.parse(json.stdout) as { keys: { name: string }[] }).keys.find(({ name }) => name === 'listed');
    expect(listed).toMatchObject({ roles: ['ai', 'human'], tools: ['Echo'], state: 'active' });
    expect(listed).not.toHaveProperty('sha256');
    for (const { stdout } of [table, json]) {
      expect(stdout).not.toContain(key);
      expect(stdout).not.toMatch(/[0-9a-f]{64}/);
    }
    expect(readFileSync(join(home.data, 'keys.json'), 'utf8')).not.toContain(key);
    expect(statSync(join(home.data, 'keys.json')).mode & 0o777).toBe(0o600);
  });

  it('prints what was made as JSON', async () => {
    const { stdout } = await keys('new', '--name', 'as-json', '--expires', '2099-01-31', '--json');
    expect(JSON.parse(stdout)).toEqual({
      key: expect.stringMatching(/^vcp_/) as unknown,
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/) as unknown,
      name: 'as-json',
      roles: ['human'],
      tools: null,
      rateLimit: null,
      toolRateLimits: {},
      createdAt: expect.stringMatching(/Z$/) as unknown,
      expiresAt: '2099-01-31T00:00:00.000Z',
    });
  });

  it.concurrent.each([
    ['no name', ['new'], '--name'],
    ['a name that is taken', ['new', '--name', 'default'], 'take another name'],
    ['a role that is none', ['new', '--name', 'x', '--role', 'root'], 'the roles are human, workflow'],
    ['a rate that is none', ['new', '--name', 'x', '--rate', '60'], 'such as 60/60s'],
    ['a rate of nothing', ['new', '--name', 'x', '--rate', '0/60s'], 'such as 60/60s'],
    ['a tool rate without a tool', ['new', '--name', 'x', '--tool-rate', '10/60s'], 'such as Weather=10/60s'],
    ['a tool rate twice', ['new', '--name', 'x', '--tool-rate', 'A=1/s', '--tool-rate', 'A=2/s'], 'gives A twice'],
    ['a tool rate in vain', ['new', '--name', 'x', '--tool', 'A', '--tool-rate', 'B=1/s'], 'which no --tool lets'],
    ['a tool that cannot be', ['new', '--name', 'x', '--tool', '../A'], 'must be a letter followed by'],
    ['an end that is none', ['new', '--name', 'x', '--expires', 'soon'], 'a time from now (12h, 30d)'],
    ['an end in the past', ['new', '--name', 'x', '--expires', '2020-01-01'], 'is in the past'],
    ['a key that is not there', ['revoke', 'nobody-at-all'], '"vcp keys list" shows them'],
    ['a key that is nearly there', ['revoke', 'neighbor'], 'did you mean neighbour?'],
  ])('says what is wrong with %s', async (_what, args, words) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('says in a sentence that a file cannot be written', async () => {
    const { code, stderr } = await vcp(home, ['keys', 'new', '--name', 'x'], {
      VCP_API_KEYS_FILE: '/proc/none/keys.json',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('/proc/none/keys.json cannot be used');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('says that there is nothing to revoke yet', async () => {
    const file = join(home.root, 'none', 'keys.json');
    const { code, stderr } = await vcp(home, ['keys', 'revoke', 'x'], { VCP_API_KEYS_FILE: file });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `vcp: there is no keys file ${file} yet; vcp keys new makes it\n`,
    });
  });

  it('works on the file that the configuration names', async () => {
    const file = join(home.root, 'elsewhere', 'team.json');
    const { code } = await vcp(home, ['keys', 'new', '--name', 'x'], { VCP_API_KEYS_FILE: file });
    expect([code, JSON.parse(readFileSync(file, 'utf8'))]).toMatchObject([0, { keys: [{ name: 'x' }] }]);
  });
});

describe('the default key', () => {
  it('is switched off only when another may do everything', async () => {
    const refused = await keys('revoke', 'default');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--role admin') as unknown });
    expect((await server.request('/v1/tools')).status).toBe(200);
    const admin = made('admin', { roles: ['admin'] });
    expect(await keys('revoke', 'default')).toMatchObject({ code: 0 });
    expect(await problemOf(await server.request('/v1/tools'))).toMatchObject({
      status: 401,
      detail: 'this key has been revoked; ask the operator of this server for another',
    });
    expect((await call(admin)).status).toBe(200);
    expect((await keys('list')).stdout).toMatch(/^key_default .* switched off$/m);
  });

  it('is not offered by a server that starts while it is off', async () => {
    const second = await startServerProcess(home);
    try {
      expect(second.stdout()).toContain('the default key is switched off');
      expect(second.stdout()).not.toContain('cat ');
    } finally {
      second.kill('SIGTERM');
      await second.exit;
    }
  });
});

it('a server does not start on a keys file that it cannot use, and says where it is wrong', async () => {
  const file = join(home.root, 'broken.json');
  writeFileSync(file, '{"version":1,"keys":[{"id":"key_a"}]}', { mode: 0o600 });
  const { code, stdout, stderr } = await vcp(home, ['serve'], { VCP_PORT: '0', VCP_API_KEYS_FILE: file });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(
    `the server could not start: the keys file ${file} cannot be used: /keys/0/name: is required`,
  );
  expect(stderr).not.toMatch(/\n\s+at /);
});
