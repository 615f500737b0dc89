// Processes that are started before their call.
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/lib/limits.ts';
import { ECHO, SUCCESS, TRANSPORT_FAILURE, verdictOf, detailsOf } from '../../support/call-expectations.ts';
import { stdioFixtures, type PluginSpec } from '../../support/manifest.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesLeft, processesWith, until } from '../../support/processes.ts';

let host: NodeRuntime;
const open = async (plugins: readonly PluginSpec[], limits: Partial<Limits> = {}) => {
  host = await openNodeRuntime(plugins, { limits: { standbyProcesses: 4, ...limits } });
};
afterEach(async () => {
  const { faults, dataDirectory } = host;
  await host.close();
  expect(await processesLeft(dataDirectory)).toEqual([]);
  expect(faults).toEqual([]);
});

const waits = ({ concurrency, ...spec }: PluginSpec): PluginSpec => ({
  ...spec,
  more: {
    communication: {
      protocol: 'stdio',
      timeoutMs: 20_000,
      standby: true,
      ...(concurrency === undefined ? {} : { concurrency }),
    },
    ...spec.more,
  },
});
const shell = (name: string, text: string, more: Partial<PluginSpec> = {}): PluginSpec =>
  waits({ name, command: './run.sh', args: [text], ...more });
const ECHO_WAITS = waits(ECHO);
/** Says which process it is, once it has its call. */
const TELLS = `read -r line; echo '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":{"pid":'$$'}}}'`;
const pids = (tool: string) => processesWith(`${host.dataDirectory}/plugins/${tool}`).map(({ pid }) => pid);
const pidOf = (result: { data: unknown }) => (result.data as { pid: number }).pid;

describe('after the first call of a tool', () => {
  it('the next one finds a process that waits, and each process serves one call', async () => {
    await open([shell('Tells', TELLS)]);
    const seen = [];
    for (let index = 0; index < 4; index += 1) {
      const waiting = pids('Tells');
      const result = await host.call('Tells');
      expect(verdictOf(result)).toEqual(SUCCESS);
      if (index > 0) expect(waiting).toEqual([pidOf(result)]);
      seen.push(pidOf(result));
      await until('a process waits', () => pids('Tells').length === 1);
    }
    expect(new Set(seen).size).toBe(4);
  });

  it('as many wait as there were calls at once, up to the limit of all tools together', async () => {
    await open([shell('Tells', TELLS, { concurrency: 8 }), ECHO_WAITS]);
    await Promise.all([host.call('Tells'), host.call('Tells'), host.call('Tells')]);
    await until('three wait', () => pids('Tells').length === 3);
    await Promise.all([host.call('Echo'), host.call('Echo')]);
    await until(
      'the one that waited longest has made room',
      () => pids('Tells').length === 2 && pids('Echo').length === 2,
    );
    const results = await Promise.all(Array.from({ length: 8 }, () => host.call('Tells')));
    expect(results.map(verdictOf)).toEqual(Array.from({ length: 8 }, () => SUCCESS));
    await until('no more than the limit wait', () => pids('Tells').length + pids('Echo').length === 4);
  });

  it('a tool that serves one call at a time never has two processes', async () => {
    await open([shell('Alone', `read -r line; sleep 0.5; ${TELLS.replace('read -r line; ', '')}`, { concurrency: 1 })]);
    const groups = () => new Set(processesWith(`${host.dataDirectory}/plugins/Alone`).map(({ group }) => group)).size;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, groups());
    }, 10);
    const results = await Promise.all([host.call('Alone'), host.call('Alone'), host.call('Alone')]);
    clearInterval(watch);
    expect(results.map(verdictOf)).toEqual([SUCCESS, SUCCESS, SUCCESS]);
    expect(most).toBe(1);
  });

  it('nobody waits when nobody calls', async () => {
    await open([shell('Tells', TELLS)], { standbyIdleMs: 300 });
    await host.call('Tells');
    await until('a process waits', () => pids('Tells').length === 1);
    await until('it has gone', () => pids('Tells').length === 0);
    expect(verdictOf(await host.call('Tells'))).toEqual(SUCCESS);
  });

  it('one that outlived its call’s eviction timer goes too', async () => {
    await open([shell('Slow', `read -r line; sleep 0.6; ${TELLS.replace('read -r line; ', '')}`)], {
      standbyIdleMs: 300,
    });
    await host.call('Slow');
    await until('nobody waits', () => pids('Slow').length === 0);
  });

  it('none waits for a plugin that does not say that it can, or where the operator wants none', async () => {
    const communication = { protocol: 'stdio', timeoutMs: 20_000 };
    await open([shell('Tells', TELLS, { more: { communication } }), ECHO_WAITS], { standbyProcesses: 0 });
    await host.call('Tells');
    await host.call('Echo');
    await until('nothing runs', () => pids('Tells').length + pids('Echo').length === 0);
  });
});

describe('a process that ends while it waits', () => {
  it('is noticed, and the call gets another one', async () => {
    await open([shell('Tells', TELLS)]);
    await host.call('Tells');
    await until('a process waits', () => pids('Tells').length === 1);
    const [waiting] = pids('Tells') as [number];
    process.kill(waiting, 'SIGKILL');
    await until('it has gone', () => !pids('Tells').includes(waiting));
    const result = await host.call('Tells');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(pidOf(result)).not.toBe(waiting);
  });

  it('is not started again and again', async () => {
    // Answers without waiting for its call: legal, but no process to keep ready.
    await open([shell('Hasty', 'echo started >> "$VCP_PLUGIN_DATA_DIR/starts"; echo "$FRAME"')]);
    for (let index = 0; index < 8; index += 1) expect(verdictOf(await host.call('Hasty'))).toEqual(SUCCESS);
    await until('nothing runs', () => pids('Hasty').length === 0);
    const starts = readFileSync(`${host.dataDirectory}/plugins/Hasty/starts`, 'utf8').trim().split('\n').length;
    expect(starts).toBeLessThanOrEqual(8 + 3);
  });

  it('is not started again and again when it cannot be started at all', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'vcp-test-standby-'));
    copyFileSync(join(stdioFixtures, 'run.sh'), join(directory, 'run.sh'));
    chmodSync(join(directory, 'run.sh'), 0o755);
    await open([shell('Gone', TELLS, { directory })]);
    await host.call('Gone');
    rmSync(directory, { recursive: true });
    const used = () => readFileSync('/proc/self/stat', 'latin1').split(' ').slice(13, 15).map(Number);
    for (let index = 0; index < 3; index += 1) expect((await host.call('Gone')).status).toMatch(/success|error/);
    const [userBefore, systemBefore] = used() as [number, number];
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [user, system] = used() as [number, number];
    // Ticks of 10 ms: a loop of starts would use much of the time.
    expect(user - userBefore + system - systemBefore).toBeLessThan(50);
  });

  it('does not give its last words to a call', async () => {
    await open([shell('Tells', TELLS), shell('Fails', 'read -r line; echo sorry >&2; exit 3')]);
    await host.call('Fails');
    await until('a process waits', () => pids('Fails').length === 1);
    const result = await host.call('Fails');
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(detailsOf(result)).toMatchObject({ exitCode: 3, stderr: 'sorry' });
  });
});
