// Calls that are made once: by many clients, by two servers on one data directory, and over the death of a server.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { Problem } from '../../src/protocol/problem.ts';
import { manifestOf, type PluginSpec } from '../support/manifest.ts';
import { until } from '../support/processes.ts';
import { startServerProcess, temporaryHome, vcp, writePlugin, type ServerProcess } from '../support/server-process.ts';

const PATIENCE_MS = 60_000;

let home: ReturnType<typeof temporaryHome>;
let servers: ServerProcess[];
beforeEach(() => {
  home = temporaryHome();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await Promise.all(servers.map(({ exit }) => exit));
  home.remove();
});

const start = async (environment: Record<string, string> = {}) => {
  const server = await startServerProcess(home, environment);
  servers.push(server);
  return server;
};

/**
 * A plugin that notes each of its calls as a line of a file, and then does what the shell text says. It reads the call
 * first: a process may be started ahead of one.
 */
const writeCounting = (name: string, script: string, isIdempotent = false) => {
  const file = join(home.root, `runs-of-${name}`);
  const spec: PluginSpec = {
    name,
    command: './run.sh',
    args: [`read -r CALL; echo run >> ${file}; RUNS=$(wc -l < ${file}); ${script}`],
  };
  const { capabilities } = manifestOf(spec) as { capabilities: { invocationCommands: object[] } };
  const invocationCommands = capabilities.invocationCommands.map((command) => ({
    ...command,
    idempotent: isIdempotent,
  }));
  writePlugin(home.plugins, { ...spec, more: { capabilities: { invocationCommands } } });
  return () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0);
};

const SUCCEED = 'echo "$FRAME"';
/** Works in its second run; the first never ends. */
const HANG_FIRST = `[ $RUNS -ge 2 ] || sleep 600; ${SUCCEED}`;

const ask = (server: ServerProcess, key: string, tool: string, args: object = {}, init: RequestInit = {}) =>
  server.request('/v1/human/tool', {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ tool, arguments: args }),
    ...init,
  });
const resultOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return (await response.json()) as CanonicalToolResult;
};
const problemOf = async (response: Response) => {
  const { status, code } = (await response.json()) as Problem;
  return { status, code };
};

describe('a call under a key', { timeout: PATIENCE_MS }, () => {
  it('is made once for twenty clients at once, and for those that come later', async () => {
    const runs = writeCounting('Slow', `sleep 0.5; ${SUCCEED}`);
    const server = await start();
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(server, 'once', 'Slow')));
    const replays = responses.map((response) => response.headers.get('idempotency-replayed'));
    expect(replays.filter((replayed) => replayed === null)).toHaveLength(1);
    const results = await Promise.all(responses.map(resultOf));
    const later = await ask(server, 'once', 'Slow');
    expect(later.headers.get('idempotency-replayed')).toBe('true');
    expect(new Set([...results, await resultOf(later)].map(({ id }) => id)).size).toBe(1);
    expect([results[0]?.status, runs()]).toEqual(['success', 1]);
    const { records } = (await (await server.request('/v1/records')).json()) as { records: object[] };
    expect(records).toHaveLength(1);
  });

  it('is made once by two servers on one data directory', async () => {
    const runs = writeCounting('Slow', `sleep 0.5; ${SUCCEED}`);
    const pair = [await start(), await start({ VCP_SERVER_ID: 'second' })];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask(pair[index % 2]!, 'once', 'Slow')),
    );
    const results = await Promise.all(responses.map(resultOf));
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(runs()).toBe(1);
    expect(await problemOf(await ask(pair[0]!, 'once', 'Slow', { other: true }))).toEqual({
      status: 422,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(runs()).toBe(1);
  });

  it('is answered from the store by a server that was started anew', async () => {
    const runs = writeCounting('Quick', SUCCEED);
    const first = await start();
    const { id } = await resultOf(await ask(first, 'once', 'Quick', { a: 1 }));
    first.kill('SIGTERM');
    await first.exit;
    const second = await start();
    const again = await ask(second, 'once', 'Quick', { a: 1 });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await resultOf(again)).id).toBe(id);
    expect((await ask(second, 'once', 'Quick', { a: 2 })).status).toBe(422);
    expect(runs()).toBe(1);
  });

  it('goes on when its client hangs up, and gives its result to the client that asks again', async () => {
    const runs = writeCounting('Slow', `sleep 1; ${SUCCEED}`);
    const server = await start();
    const client = new AbortController();
    const first = ask(server, 'once', 'Slow', {}, { signal: client.signal }).catch(() => 'hung up');
    await until('the tool runs', () => runs() === 1, PATIENCE_MS);
    client.abort();
    expect(await first).toBe('hung up');
    expect(await resultOf(await ask(server, 'once', 'Slow'))).toMatchObject({ status: 'success' });
    expect(runs()).toBe(1);
  });

  it('may be made by vcp call', async () => {
    const runs = writeCounting('Quick', SUCCEED);
    const server = await start();
    const run = () => vcp(home, ['call', 'Quick', '--idempotency-key', 'order 8, "again"'], { VCP_URL: server.url });
    const [first, second] = [await run(), await run()];
    expect([first.code, second.code, first.stderr]).toEqual([0, 0, '']);
    expect(second.stdout).toBe(first.stdout);
    expect(runs()).toBe(1);
    const wrong = await vcp(home, ['call', 'Quick', '--idempotency-key', 'é'], { VCP_URL: server.url });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'vcp: --idempotency-key has 1 to 255 characters of printable ASCII\n',
    ]);
  });
});

describe('a call under a key whose server was killed', { timeout: PATIENCE_MS }, () => {
  const lease = { VCP_LIMIT_IDEMPOTENCY_LEASE_MS: '2000' };
  const killInTheMiddle = async (runs: () => number, tool: string) => {
    const first = await start(lease);
    const lost = ask(first, 'once', tool).catch(() => 'cut off');
    await until('the tool runs', () => runs() === 1, PATIENCE_MS);
    first.kill('SIGKILL');
    await first.exit;
    expect(await lost).toBe('cut off');
    return await start(lease);
  };

  it('is made again when its command is idempotent', async () => {
    const runs = writeCounting('HangsOnce', HANG_FIRST, true);
    const second = await killInTheMiddle(runs, 'HangsOnce');
    const responses = await Promise.all([1, 2, 3].map(() => ask(second, 'once', 'HangsOnce')));
    const results = await Promise.all(responses.map(resultOf));
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect([results[0]?.status, runs()]).toEqual(['success', 2]);
  });

  it('is never made again when its command is not, and says that its outcome is unknown', async () => {
    const runs = writeCounting('HangsOnce', HANG_FIRST);
    const second = await killInTheMiddle(runs, 'HangsOnce');
    const unknown = { status: 409, code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' };
    expect(await problemOf(await ask(second, 'once', 'HangsOnce'))).toEqual(unknown);
    expect(await problemOf(await ask(second, 'once', 'HangsOnce'))).toEqual(unknown);
    expect(runs()).toBe(1);
    expect((await resultOf(await ask(second, 'new', 'HangsOnce'))).status).toBe('success');
  });
});

describe('a tool that fails for a time', { timeout: PATIENCE_MS }, () => {
  it('is tried again, when its command is idempotent', async () => {
    const runs = writeCounting('Flaky', `[ $RUNS -ge 3 ] || exit 7; ${SUCCEED}`, true);
    const server = await start();
    expect(await server.call('Flaky')).toMatchObject({
      status: 'success',
      data: { from: 'sh' },
      execution: { attempt: 3 },
      warnings: [{ code: 'RETRIED', details: { codes: ['TRANSPORT_FAILURE', 'TRANSPORT_FAILURE'] } }],
    });
    expect(runs()).toBe(3);
    expect(server.stderr()).toMatch(/call\.retried.*"attempt":2/);
  });

  it('is run once, when it is not', async () => {
    const runs = writeCounting('Flaky', `[ $RUNS -ge 3 ] || exit 7; ${SUCCEED}`);
    const server = await start();
    expect(await server.call('Flaky')).toMatchObject({
      status: 'error',
      error: { code: 'TRANSPORT_FAILURE' },
      execution: { attempt: 1 },
      warnings: [],
    });
    expect(runs()).toBe(1);
  });
});
