// Calls that need a person's approval: on one server, on two, and over the death of either.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../adapters/node/api-key.ts';
import type { Approval, ApprovalListing } from '../../src/protocol/approval.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { Problem } from '../../src/protocol/problem.ts';
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
  const server = await startServerProcess(home, { VCP_LIMIT_APPROVAL_LOOK_MS: '100', ...environment });
  servers.push(server);
  return server;
};
const stop = async (server: ServerProcess, signal: NodeJS.Signals) => {
  server.kill(signal);
  await server.exit;
};

/** A plugin that notes each of its calls, with what it was given, as a line of a file; then it does what the shell text says. */
const writeNoting = (name: string, script: string, commandMore: object = { approval: true }) => {
  const file = join(home.root, `runs-of-${name}`);
  const args = [`read -r CALL; echo "$CALL" >> ${file}; ${script}`];
  writePlugin(home.plugins, { name, command: './run.sh', args, commandMore: { ...commandMore } });
  return () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { payload: { arguments: object } }).payload.arguments)
      : [];
};
const SUCCEED = 'echo "$FRAME"';

const makeKey = (name: string, roles: readonly string[]): string => {
  const key = makeApiKey();
  const file = join(home.data, 'keys.json');
  mkdirSync(home.data, { recursive: true, mode: 0o700 });
  const keys = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { keys: object[] }).keys : [];
  const entry = { id: `key_${name}`, name, sha256: hash('sha256', key), roles, createdAt: '2026-11-30T12:00:00Z' };
  writeFileSync(file, JSON.stringify({ version: 1, keys: [...keys, entry] }), { mode: 0o600 });
  return key;
};
const as = (key: string) => ({ authorization: `Bearer ${key}` });

const ask = (server: ServerProcess, tool: string, args: object = {}, init: RequestInit = {}) =>
  server.request('/v1/human/tool', { method: 'POST', body: JSON.stringify({ tool, arguments: args }), ...init });
const resultOf = async (response: Response | Promise<Response>) => {
  const answered = await response;
  expect(answered.status).toBe(200);
  return (await answered.json()) as CanonicalToolResult;
};
const pending = async (server: ServerProcess): Promise<Approval> => {
  let found: string | undefined;
  for (let tries = 0; found === undefined && tries < 400; tries += 1) {
    const { approvals } = (await (await server.request('/v1/approvals?state=pending')).json()) as ApprovalListing;
    found = approvals[0]?.id;
    if (found === undefined) await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return (await (await server.request(`/v1/approvals/${found}`)).json()) as Approval;
};
const shown = async (server: ServerProcess, { id }: Pick<Approval, 'id'>) =>
  (await (await server.request(`/v1/approvals/${id}`)).json()) as Approval;
const decide = (
  server: ServerProcess,
  { id }: Pick<Approval, 'id'>,
  body: object,
  headers: Record<string, string> = {},
) => server.request(`/v1/approvals/${id}`, { method: 'POST', body: JSON.stringify(body), headers });
/** What the call of a deferred approval came to. */
const endOf = async (server: ServerProcess, approval: Pick<Approval, 'id'>): Promise<CanonicalToolResult> => {
  let resultId: string | null = null;
  for (let tries = 0; resultId === null && tries < 800; tries += 1) {
    ({ resultId } = await shown(server, approval));
    if (resultId === null) await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return await resultOf(server.request(`/v1/results/${resultId}`));
};

describe('a call that needs approval', { timeout: PATIENCE_MS }, () => {
  it('is made once it is approved (§17.6), as it was shown, and tells who approved it', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    const calling = ask(server, 'Careful', { path: '/srv/old', n: 1 });
    const approval = await pending(server);
    expect(runs()).toEqual([]);
    expect(approval).toMatchObject({ arguments: { path: '/srv/old', n: 1 }, command: 'Run', source: 'human' });
    const seen = await vcp(home, ['approvals', 'list'], { VCP_URL: server.url });
    expect(JSON.parse(seen.stdout)).toMatchObject({ id: approval.id, state: 'pending' });
    const whole = await vcp(home, ['approvals', 'show', approval.id], { VCP_URL: server.url });
    expect(JSON.parse(whole.stdout)).toMatchObject({ arguments: { path: '/srv/old' }, hash: approval.hash });
    const approved = await vcp(home, ['approvals', 'approve', approval.id, '--reason', 'ok'], { VCP_URL: server.url });
    expect([approved.code, approved.stderr]).toEqual([0, `vcp: approved: Careful · Run (${approval.id})\n`]);
    const result = await resultOf(calling);
    expect(result).toMatchObject({
      status: 'success',
      extensions: { 'vcp.approval': { id: approval.id, state: 'approved', decidedBy: 'default', reason: 'ok' } },
    });
    expect(runs()).toEqual([{ path: '/srv/old', n: 1 }]);
    const record = await server.request(`/v1/records/${result.execution.recordId}`);
    expect(await record.json()).toMatchObject({ audit: { approval: { decidedBy: 'default', reason: 'ok' } } });
  });

  it('is not made when it is rejected (§17.6), and vcp call says why and how one decides', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    const calling = vcp(home, ['call', 'Careful', '--arg', 'n=1'], { VCP_URL: server.url });
    const approval = await pending(server);
    await vcp(home, ['approvals', 'reject', approval.id, '--reason', 'not on a Friday'], { VCP_URL: server.url });
    const { code, stdout, stderr } = await calling;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'APPROVAL_REJECTED', category: 'approval', details: { reason: 'not on a Friday' } },
    });
    expect(stderr).toContain("the call waits for a person's approval");
    expect(stderr).toContain(`vcp approvals approve ${approval.id}`);
    expect(runs()).toEqual([]);
  });

  it('is not made when nobody decides in time (§17.6)', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start({ VCP_LIMIT_APPROVAL_MS: '400' });
    const { error } = await resultOf(ask(server, 'Careful'));
    expect(error).toMatchObject({ code: 'APPROVAL_TIMEOUT', category: 'approval' });
    const { approvals } = (await (await server.request('/v1/approvals?state=expired')).json()) as ApprovalListing;
    const approval = { id: approvals[0]?.id ?? '' };
    const late = await decide(server, approval, { decision: 'approve' });
    expect([late.status, ((await late.json()) as Problem).code]).toEqual([410, 'APPROVAL_EXPIRED']);
    expect(runs()).toEqual([]);
  });

  it('is decided once, and by operators alone', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const [ann, bob, olga] = [
      makeKey('ann', ['human']),
      makeKey('bob', ['ai']),
      makeKey('olga', ['human', 'operator']),
    ];
    const server = await start();
    const calling = ask(server, 'Careful', {}, { headers: as(ann) });
    const approval = await pending(server);
    for (const key of [ann, bob]) {
      const refused = await decide(server, approval, { decision: 'approve' }, as(key));
      expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([403, 'FORBIDDEN']);
    }
    const statusFor = async (key: string) =>
      (await server.request(`/v1/approvals/${approval.id}`, { headers: as(key) })).status;
    expect([await statusFor(ann), await statusFor(bob), await statusFor(olga)]).toEqual([200, 404, 200]);
    expect(runs()).toEqual([]);
    expect((await decide(server, approval, { decision: 'approve' }, as(olga))).status).toBe(200);
    expect((await resultOf(calling)).extensions).toMatchObject({ 'vcp.approval': { decidedBy: 'olga' } });
    const again = await decide(server, approval, { decision: 'approve' });
    expect([again.status, ((await again.json()) as Problem).code]).toEqual([409, 'APPROVAL_DECIDED']);
    expect(runs()).toHaveLength(1);
  });

  it('is cancelled with its approval when its caller hangs up', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    const client = new AbortController();
    const calling = ask(server, 'Careful', {}, { signal: client.signal }).catch(() => 'hung up');
    const approval = await pending(server);
    client.abort();
    expect(await calling).toBe('hung up');
    let state = 'pending';
    for (let tries = 0; state === 'pending' && tries < 400; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      ({ state } = await shown(server, approval));
    }
    expect(state).toBe('cancelled');
    expect((await decide(server, approval, { decision: 'approve' })).status).toBe(409);
    expect(runs()).toEqual([]);
  });
});

describe('a call whose caller does not wait for the approval', { timeout: PATIENCE_MS }, () => {
  const askAsync = (server: ServerProcess, args: object = {}, headers: Record<string, string> = {}) =>
    ask(server, 'Careful', args, { headers: { prefer: 'respond-async', ...headers } });

  it('is accepted at once, made after the approval, and found by its task', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    const response = await askAsync(server, { n: 1 });
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    const accepted = await resultOf(response);
    const approval = await pending(server);
    expect(accepted).toMatchObject({ status: 'accepted', task: { id: approval.taskId, state: 'queued' } });
    await decide(server, approval, { decision: 'approve' });
    expect(await endOf(server, approval)).toMatchObject({
      status: 'success',
      task: { id: accepted.task?.id, state: 'completed' },
      execution: { invocationId: accepted.execution.invocationId },
    });
    expect(runs()).toEqual([{ n: 1 }]);
  });

  it('is one call for all that ask under one key, and the answer to it stays the accepted one', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    const key = { 'idempotency-key': 'order 8' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => askAsync(server, {}, { 'idempotency-key': '"order 8"' })),
    );
    const results = await Promise.all(answers.map(resultOf));
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    const approval = await pending(server);
    await decide(server, approval, { decision: 'approve' });
    await endOf(server, approval);
    const later = await askAsync(server, {}, { 'idempotency-key': `"${key['idempotency-key']}"` });
    expect(later.headers.get('idempotency-replayed')).toBe('true');
    expect((await resultOf(later)).id).toBe(results[0]?.id);
    expect(runs()).toHaveLength(1);
  });

  it('is made by a server that was started between the request and the decision', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const first = await start();
    // This caller waits; what it waits for goes on when the server stops.
    const calling = ask(first, 'Careful', { n: 7 });
    const approval = await pending(first);
    const stopped = stop(first, 'SIGTERM');
    expect(await resultOf(calling)).toMatchObject({ status: 'accepted', task: { state: 'queued' } });
    await stopped;
    const second = await start();
    await decide(second, approval, { decision: 'approve' });
    expect(await endOf(second, approval)).toMatchObject({ status: 'success' });
    expect(runs()).toEqual([{ n: 7 }]);
  });

  it('is made when the decision was taken and the server was killed before it could go on', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const first = await start();
    await resultOf(askAsync(first, { n: 7 }));
    const approval = await pending(first);
    await stop(first, 'SIGKILL');
    const database = new DatabaseSync(join(home.data, 'vcp.sqlite'));
    database.exec(
      `UPDATE approvals SET state = 'approved', decided_by = 'olga', decided_at = '${new Date().toISOString()}'`,
    );
    database.close();
    const second = await start();
    expect(await endOf(second, approval)).toMatchObject({ status: 'success' });
    expect(runs()).toEqual([{ n: 7 }]);
  });

  it('is made by one of two servers, whichever took the decision', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const [first, second] = [await start(), await start({ VCP_SERVER_ID: 'second' })];
    const waiting = ask(first, 'Careful', { n: 1 });
    await decide(second, await pending(first), { decision: 'approve' });
    expect((await resultOf(waiting)).status).toBe('success');
    for (const n of [2, 3, 4]) {
      await resultOf(askAsync(first, { n }));
      const approval = await pending(second);
      await Promise.all([first, second].map((server) => decide(server, approval, { decision: 'approve' })));
      expect((await endOf(first, approval)).status).toBe('success');
    }
    expect(runs()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  });

  it('is not made with other arguments than were approved, whoever swaps them', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start();
    await resultOf(askAsync(server, { path: '/srv/old' }));
    const approval = await pending(server);
    const swapped = await decide(server, approval, { decision: 'approve', arguments: { path: '/' } });
    expect(swapped.status).toBe(400);
    const database = new DatabaseSync(join(home.data, 'vcp.sqlite'));
    database.exec(`UPDATE approvals SET held_call = replace(held_call, '/srv/old', '/')`);
    database.close();
    await decide(server, approval, { decision: 'approve' });
    expect((await endOf(server, approval)).error).toMatchObject({ code: 'APPROVAL_REJECTED' });
    expect(runs()).toEqual([]);
  });

  it('is not made on a plugin that was changed before the decision', async () => {
    const runs = writeNoting('Careful', SUCCEED);
    const server = await start({ VCP_WATCH: 'false' });
    await resultOf(askAsync(server));
    const approval = await pending(server);
    writeFileSync(join(home.plugins, 'Careful', 'more.sh'), '#!/bin/sh\necho changed\n');
    await server.request('/v1/plugins/reload', { method: 'POST' });
    await decide(server, approval, { decision: 'approve' });
    expect((await endOf(server, approval)).error).toMatchObject({
      code: 'APPROVAL_REJECTED',
      message: expect.stringContaining('the files of Careful 1.0.0 have changed') as unknown,
    });
    expect(runs()).toEqual([]);
  });

  it('is not made on files that were changed before the decision and that the server has not looked at since', async () => {
    const runs = writeNoting('Careful', '. ./more.sh');
    const script = join(home.plugins, 'Careful', 'more.sh');
    writeFileSync(script, SUCCEED);
    const server = await start({ VCP_WATCH: 'false' });
    const calling = ask(server, 'Careful');
    const approval = await pending(server);
    writeFileSync(script, `true; ${SUCCEED}`);
    expect((await decide(server, approval, { decision: 'approve' })).status).toBe(200);
    expect((await resultOf(calling)).error).toMatchObject({
      code: 'APPROVAL_REJECTED',
      message: expect.stringContaining('the files of Careful 1.0.0 have changed') as string,
      details: { reason: 'changed' },
    });
    expect(runs()).toEqual([]);
    writeFileSync(script, SUCCEED);
    const again = ask(server, 'Careful');
    await decide(server, await pending(server), { decision: 'approve' });
    expect(await resultOf(again)).toMatchObject({ status: 'success' });
  });

  it('is not made twice when its server is killed while it runs, and its task says so', async () => {
    const runs = writeNoting('Careful', 'sleep 600');
    const lease = { VCP_LIMIT_APPROVAL_LEASE_MS: '600' };
    const first = await start(lease);
    await resultOf(askAsync(first));
    const approval = await pending(first);
    await decide(first, approval, { decision: 'approve' });
    await until('the tool runs', () => runs().length === 1, PATIENCE_MS);
    await stop(first, 'SIGKILL');
    const second = await start(lease);
    const result = await endOf(second, approval);
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'INTERNAL_ERROR', details: { reason: 'outcome-unknown' } },
      task: { state: 'failed' },
    });
    expect((await decide(second, approval, { decision: 'approve' })).status).toBe(409);
    expect(runs()).toHaveLength(1);
  });

  it('may be told by vcp call how it goes on', async () => {
    writeNoting('Careful', SUCCEED);
    const server = await start({ VCP_LIMIT_APPROVAL_WAIT_MS: '200' });
    const { code, stdout, stderr } = await vcp(home, ['call', 'Careful', '--arg', 'n=1'], { VCP_URL: server.url });
    const { status, task } = JSON.parse(stdout) as CanonicalToolResult;
    expect([code, status]).toEqual([0, 'accepted']);
    expect(stderr).toContain(`vcp tasks watch ${task?.id}`);
    const listed = await vcp(home, ['tasks'], { VCP_URL: server.url });
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: task?.id, kind: 'deferred', state: 'queued' });
    const watching = vcp(home, ['tasks', 'watch', task?.id ?? ''], { VCP_URL: server.url });
    await decide(server, await pending(server), { decision: 'approve' });
    const watched = await watching;
    expect(watched.code).toBe(0);
    const told = watched.stdout.trim().split('\n');
    expect(JSON.parse(told.at(-1) ?? '')).toMatchObject({ event: 'result', data: { status: 'success' } });
    const detached = await vcp(home, ['call', 'Careful', '--arg', 'n=1', '--detach'], { VCP_URL: server.url });
    expect(JSON.parse(detached.stdout)).toMatchObject({ status: 'accepted', task: { state: 'queued' } });
    expect(detached.code).toBe(0);
    const second = (JSON.parse(detached.stdout) as CanonicalToolResult).task?.id ?? '';
    const cancelled = await vcp(home, ['tasks', 'cancel', second, '--reason', 'enough'], { VCP_URL: server.url });
    expect([cancelled.code, cancelled.stderr]).toEqual([0, `vcp: cancelled: Careful · Run (${second})\n`]);
    expect(JSON.parse((await vcp(home, ['tasks', 'show', second], { VCP_URL: server.url })).stdout)).toMatchObject({
      state: 'cancelled',
    });
    const late = await vcp(home, ['tasks', 'cancel', task?.id ?? ''], { VCP_URL: server.url });
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('has ended as completed')]);
  });

  it('need not be one that needs approval', async () => {
    const runs = writeNoting('Plain', `sleep 0.3; ${SUCCEED}`, {});
    const server = await start();
    const response = await ask(server, 'Plain', { n: 1 }, { headers: { prefer: 'respond-async' } });
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    const accepted = await resultOf(response);
    expect(accepted).toMatchObject({ status: 'accepted', data: null });
    let records: { resultId: string; status: string; invocationId: string }[] = [];
    for (let tries = 0; records.length < 2 && tries < 400; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      ({ records } = (await (await server.request('/v1/records?tool=Plain')).json()) as { records: typeof records });
    }
    expect(records.map(({ status }) => status)).toEqual(['success', 'accepted']);
    expect(new Set(records.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(await resultOf(server.request(`/v1/results/${records[0]?.resultId}`))).toMatchObject({
      task: { id: accepted.task?.id, state: 'completed' },
    });
    expect(runs()).toEqual([{ n: 1 }]);
  });
});

describe('approval rules', { timeout: PATIENCE_MS }, () => {
  const rules = (...list: object[]) =>
    writeFileSync(join(home.data, 'approval-rules.json'), JSON.stringify({ version: 1, rules: list }));

  it('change while the server runs: what needs approval, what is let through, what is rejected without a word', async () => {
    const runs = writeNoting('Plain', SUCCEED, {});
    const server = await start();
    expect((await resultOf(ask(server, 'Plain', { n: 1 }))).status).toBe('success');
    rules({ tools: ['Plain:Run'], effect: 'require', reason: 'it costs money' });
    const calling = ask(server, 'Plain', { n: 2 });
    const approval = await pending(server);
    expect(approval.requiredBy).toEqual({ by: 'rule', reason: 'it costs money' });
    await decide(server, approval, { decision: 'approve' });
    expect((await resultOf(calling)).status).toBe('success');

    rules({ tools: ['*'], effect: 'reject', reason: 'closed today' });
    expect((await resultOf(ask(server, 'Plain', { n: 3 }))).error).toMatchObject({
      code: 'APPROVAL_REJECTED',
      message: expect.stringContaining('closed today') as unknown,
    });

    writeFileSync(join(home.data, 'approval-rules.json'), '{"version":1,"rules":[{"tools":["*"],"effect":"alow"}]}');
    expect((await resultOf(ask(server, 'Plain', { n: 4 }))).error?.code).toBe('APPROVAL_REJECTED');
    expect(server.stderr()).toContain('approval-rules.not-loaded');
    expect(server.stderr()).toContain('/rules/0/effect');
    rmSync(join(home.data, 'approval-rules.json'));
    expect((await resultOf(ask(server, 'Plain', { n: 5 }))).error?.code).toBe('APPROVAL_REJECTED');

    rules();
    expect((await resultOf(ask(server, 'Plain', { n: 6 }))).status).toBe('success');
    expect(runs()).toEqual([{ n: 1 }, { n: 2 }, { n: 6 }]);
    const { approvals } = (await (await server.request('/v1/approvals')).json()) as ApprovalListing;
    expect(approvals.map(({ id }) => id)).toEqual([approval.id]);
  });

  it('go by the roles and keys of the caller, and may override a manifest', async () => {
    writeNoting('Careful', SUCCEED);
    const [ann, ben, robot] = [makeKey('ann', ['human']), makeKey('ben', ['human']), makeKey('robot', ['ai'])];
    rules(
      { tools: ['Careful'], keys: ['key_ann'], effect: 'allow', overrideManifest: true },
      { tools: ['*'], roles: ['ai'], effect: 'reject', reason: 'not for models' },
    );
    const server = await start();
    expect((await resultOf(ask(server, 'Careful', {}, { headers: as(ann) }))).status).toBe('success');
    expect((await resultOf(ask(server, 'Careful', {}, { headers: as(robot) }))).error?.message).toContain(
      'not for models',
    );
    const accepted = ask(server, 'Careful', {}, { headers: { ...as(ben), prefer: 'respond-async' } });
    expect((await resultOf(accepted)).status).toBe('accepted');
  });

  it('that cannot be used keep a server from starting, which says where they are wrong', async () => {
    mkdirSync(home.data, { recursive: true });
    rules({ tools: ['*'], effect: 'alow' });
    const broken = await vcp(home, ['serve'], { VCP_PORT: '0' });
    expect([broken.code, broken.stdout]).toEqual([1, '']);
    expect(broken.stderr).toContain('approval-rules.json cannot be used: /rules/0/effect');
    expect(broken.stderr).not.toMatch(/\n\s+at /);
    rules();
    const missing = await vcp(home, ['serve'], {
      VCP_PORT: '0',
      VCP_APPROVAL_RULES_FILE: join(home.root, 'nowhere.json'),
    });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('there is no file of approval rules at');
  });
});
