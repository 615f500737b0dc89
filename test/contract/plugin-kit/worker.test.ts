// One process, many calls: what the plugin kit makes of the frames of worker mode, in both languages alike.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import { cancelLine, invocationLine, startPluginProcess, type PluginProcess } from '../../support/plugin-process.ts';
import { KITS, ODD } from './kits.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-kit-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const idOf = (index: number): string => `ti_${String(index).padStart(26, '0')}`;

describe.each(KITS)('the $kit kit in worker mode', (program) => {
  const started: PluginProcess[] = [];
  const start = () => {
    const plugin = startPluginProcess(program, { VCP_STDIO_MODE: 'worker' });
    started.push(plugin);
    return plugin;
  };
  afterEach(async () => {
    for (const { child, ended } of started.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  const line = (index: number, command: string, args: unknown = {}) =>
    invocationLine(command, args, { invocationId: idOf(index) });

  it('answers calls as they end, each frame with the id of its call', async () => {
    const plugin = start();
    plugin.write(line(1, 'Sleep', { ms: 1_500 }) + line(2, 'Echo', { text: '二' }));
    const [first] = await plugin.received('tool-result', 1);
    expect(first).toEqual({
      vcp: 'tool-result',
      version: '1.0',
      invocationId: idOf(2),
      payload: { status: 'success', data: { text: '二' } },
    });
    const [, second] = await plugin.received('tool-result', 2);
    expect(second).toMatchObject({ invocationId: idOf(1), payload: { data: { ms: 1_500 } } });
    plugin.endInput();
    expect(await plugin.ended).toBe(0);
    expect(plugin.stderr()).toBe('');
  });

  it('keeps the frames of many calls apart', async () => {
    const plugin = start();
    const indices = Array.from({ length: 200 }, (_, index) => index);
    const input = Buffer.from(
      indices.map((index) => line(index, index % 3 === 0 ? 'Progress' : 'Echo', { text: `会 ${index}` })).join(''),
    );
    // Cut without regard to lines and characters.
    for (let from = 0; from < input.length; from += 997) plugin.write(input.subarray(from, from + 997));
    const results = await plugin.received('tool-result', 200);
    expect(results.map(({ invocationId }) => invocationId).toSorted()).toEqual(indices.map(idOf));
    for (const { invocationId, payload } of results) {
      const index = Number(invocationId?.slice(3));
      if (index % 3 === 0) expect(payload).toMatchObject({ status: 'partial' });
      else expect(payload).toEqual({ status: 'success', data: { text: `会 ${index}` } });
    }
    // A call has its three reports before its result, and none after it.
    const order = plugin.frames().filter(({ invocationId }) => invocationId === idOf(3));
    expect(order.map(({ vcp }) => vcp)).toEqual(['progress', 'progress', 'progress', 'tool-result']);
  });

  it('interleaves frames of 10 MB with small ones without mixing them', async () => {
    const plugin = start();
    for (let index = 0; index < 4; index += 1) {
      plugin.write(line(index * 2, 'Big', { characters: 3_500_000 }));
      plugin.write(line(index * 2 + 1, 'Echo', { index }));
    }
    const results = await plugin.received('tool-result', 8);
    const sizes = results.map(({ payload }) => {
      const { data } = PluginResultPayload.parse(payload);
      return typeof data === 'string' ? data.length : 0;
    });
    expect(sizes.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 3_500_000, 3_500_000, 3_500_000, 3_500_000]);
  });

  it('goes on after errors, exceptions and prints', async () => {
    const plugin = start();
    plugin.write(line(1, 'Fail') + line(2, 'Crash') + line(3, 'Print') + line(4, 'Unfit', { kind: 'nan' }));
    plugin.write(line(5, 'Nothing') + line(6, 'Child') + line(7, 'Missing'));
    const results = await plugin.received('tool-result', 7);
    const outcome = Object.fromEntries(
      results.map(({ invocationId, payload }) => {
        const { status, error } = PluginResultPayload.parse(payload);
        return [Number(invocationId?.slice(3)), error?.code ?? status];
      }),
    );
    expect(outcome).toEqual({
      1: 'FILES.NOT_FOUND',
      2: 'INTERNAL_ERROR',
      3: 'success',
      4: 'INVALID_TOOL_RESULT',
      5: 'INVALID_TOOL_RESULT',
      6: 'success',
      7: 'UNKNOWN_COMMAND',
    });
    plugin.write(line(8, 'Echo'));
    expect(await plugin.received('tool-result', 8)).toHaveLength(8);
  });

  it('answers for every exception, however odd, and goes on', async () => {
    const plugin = start();
    const kinds = ODD[program.kit] ?? [];
    for (const [index, kind] of kinds.entries()) plugin.write(line(index + 1, 'Odd', { kind }));
    const results = await plugin.received('tool-result', kinds.length);
    const codes = results.map(({ payload }) => PluginResultPayload.parse(payload).error?.code);
    expect(new Set(codes)).toEqual(new Set(['INTERNAL_ERROR']));
    plugin.write(line(99, 'Echo'));
    expect(await plugin.received('tool-result', kinds.length + 1)).toHaveLength(kinds.length + 1);
  });

  it('cancels one call, says so once its handler has let go, and serves the others', async () => {
    const plugin = start();
    const file = join(directory, `${program.kit}-cancelled`);
    plugin.write(line(1, 'Wait', { file }) + line(2, 'Stubborn'));
    await plugin.received('progress', 2);
    plugin.write(cancelLine(idOf(1)));
    const [cancelled] = await plugin.received('tool-result', 1);
    expect(cancelled?.invocationId).toBe(idOf(1));
    expect(PluginResultPayload.parse(cancelled?.payload)).toMatchObject({
      status: 'cancelled',
      error: { code: 'TOOL_CANCELLED' },
    });
    expect(readFileSync(file, 'utf8')).toBe('cleaned up');
    plugin.write(cancelLine(idOf(1)) + cancelLine(idOf(99)) + line(3, 'Echo'));
    const [, next] = await plugin.received('tool-result', 2);
    expect(next).toMatchObject({ invocationId: idOf(3), payload: { status: 'success' } });
    expect(plugin.stderr()).toBe('');
  });

  it('passes over kinds of frames that it does not know', async () => {
    const plugin = start();
    plugin.write(`{"vcp":"of-a-later-host","version":"1.0"}\n${line(1, 'Echo')}`);
    expect(await plugin.received('tool-result', 1)).toHaveLength(1);
  });

  it.each([
    ['the end of stdin', 0, (plugin: PluginProcess) => plugin.endInput()],
    ['SIGTERM', 143, (plugin: PluginProcess) => plugin.child.kill('SIGTERM')],
  ])('ends at %s: calls are told, may clean up, and are not answered', async (name, code, stop) => {
    const plugin = start();
    const file = join(directory, `${program.kit}-${name}`);
    plugin.write(line(1, 'Wait', { file }) + line(2, 'Stubborn'));
    await plugin.received('progress', 2);
    stop(plugin);
    expect(await plugin.ended).toBe(code);
    expect(readFileSync(file, 'utf8')).toBe('cleaned up');
    expect(plugin.frames().filter(({ vcp }) => vcp === 'tool-result')).toEqual([]);
    expect(plugin.stderr()).toBe('');
  });

  it('ends at once when it has nothing to do', async () => {
    const waiting = start();
    waiting.endInput();
    expect(await waiting.ended).toBe(0);
    expect(waiting.stderr()).toBe('');
  });

  it('ends with a reason when stdin holds something that is no frame', async () => {
    const plugin = start();
    plugin.write(`${line(1, 'Stubborn')}hello\n`);
    expect(await plugin.ended).toBe(1);
    expect(plugin.stderr()).toMatch(/^vcp.plugin: stdin holds a line that is not JSON/);
  });

  it('is quiet when the host has gone', async () => {
    const plugin = start();
    plugin.child.stdout?.destroy();
    plugin.write(line(1, 'Big', { characters: 1_000_000 }));
    plugin.endInput();
    expect(await plugin.ended).toBe(0);
    expect(plugin.stderr()).toBe('');
  });
});

describe('the python kit in worker mode', () => {
  it('runs more calls than threads one after another, and drops a cancelled one that waits', async () => {
    const program = KITS.find(({ kit }) => kit === 'python')!;
    const plugin = startPluginProcess(program, { VCP_STDIO_MODE: 'worker' });
    for (let index = 1; index <= 8; index += 1)
      plugin.write(invocationLine('Sleep', { ms: 700 }, { invocationId: idOf(index) }));
    plugin.write(invocationLine('Sleep', { ms: 600_000 }, { invocationId: idOf(9) }) + cancelLine(idOf(9)));
    const results = await plugin.received('tool-result', 9);
    const last = results.find(({ invocationId }) => invocationId === idOf(9));
    expect(last).toMatchObject({ payload: { status: 'cancelled' } });
    plugin.endInput();
    expect(await plugin.ended).toBe(0);
  });
});
