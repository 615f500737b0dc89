// A version of a plugin that gets no more calls: what had begun ends well, and nothing is kept ready any more.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SUCCESS, verdictOf } from '../../support/call-expectations.ts';
import type { PluginSpec } from '../../support/manifest.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesLeft, processesWith, until } from '../../support/processes.ts';

vi.setConfig({ testTimeout: 60_000 });

let host: NodeRuntime;
const open = async (plugin: PluginSpec) => {
  host = await openNodeRuntime([plugin], { limits: { standbyProcesses: 4 } });
  await host.plugins.reload();
};
afterEach(async () => {
  const { faults, dataDirectory } = host;
  await host.close();
  expect(await processesLeft(dataDirectory)).toEqual([]);
  expect(faults).toEqual([]);
});

const WORKER: PluginSpec = {
  name: 'Tool',
  command: 'node',
  args: ['worker.mjs'],
  more: { communication: { protocol: 'stdio', mode: 'worker', timeoutMs: 20_000 } },
};
const processes = () => processesWith(`${host.dataDirectory}/plugins/Tool`);
const isSwitched = (enabled: boolean) => host.plugins.setEnabled('Tool', enabled, 'the test');
const pidOf = (result: { data: unknown }) => (result.data as { pid: number }).pid;
const isEmpty = () => until('nothing is kept ready', () => processes().length === 0, 20_000);

describe('a worker of a version that is retired', () => {
  it('that is only being started takes the calls that wait for it, and then goes', async () => {
    await open(WORKER);
    const calls = [0, 1, 2].map((index) => host.call('Tool', { do: 'echo', index }));
    await until('the worker is being started', () => processes().length === 1);
    await isSwitched(false);
    expect((await Promise.all(calls)).map(verdictOf)).toEqual([SUCCESS, SUCCESS, SUCCESS]);
    await isEmpty();
  });

  it('ends after its last call, while the version that comes has one of its own', async () => {
    await open(WORKER);
    const before = pidOf(await host.call('Tool', { do: 'echo' }));
    const long = host.call('Tool', { do: 'sleep', ms: 1_500 });
    await until('the long call runs', () => processes().length === 1);
    await isSwitched(false);
    await isSwitched(true);
    const after = pidOf(await host.call('Tool', { do: 'echo' }));
    const ended = await long;
    expect(verdictOf(ended)).toEqual(SUCCESS);
    expect([before, pidOf(ended)]).not.toContain(after);
    await until('the old one has gone', () => processes().every(({ pid }) => pid === after), 20_000);
  });

  it('loses no call when it is replaced again and again', async () => {
    await open(WORKER);
    let isOver = false;
    const verdicts: unknown[] = [];
    const callers = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const result = await host.call('Tool', { do: 'echo' });
        // Between "off" and "on" a call is told so; any other failure is one too many.
        if (result.error?.code !== 'TOOL_DISABLED') verdicts.push(verdictOf(result));
      }
    });
    for (let time = 0; time < 15; time += 1) {
      await isSwitched(false);
      await isSwitched(true);
      await host.call('Tool', { do: 'echo' });
    }
    isOver = true;
    await Promise.all(callers);
    expect(verdicts.filter((verdict) => JSON.stringify(verdict) !== JSON.stringify(SUCCESS))).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(0);
    await isSwitched(false);
    await isEmpty();
  });
});

describe('processes that wait for calls of a version that is retired', () => {
  it('end at once, and after a running call none waits for the next', async () => {
    const text = 'read -r line; sleep 1; echo "$FRAME"';
    const communication = { protocol: 'stdio', timeoutMs: 20_000, standby: true };
    await open({ name: 'Tool', command: './run.sh', args: [text], more: { communication } });
    await host.call('Tool');
    await until('one waits', () => processes().length > 0);
    const long = host.call('Tool');
    await until('the long call runs', () => processes().some(({ command }) => command === 'sleep 1'));
    await isSwitched(false);
    expect(verdictOf(await long)).toEqual(SUCCESS);
    await isEmpty();
  });
});
