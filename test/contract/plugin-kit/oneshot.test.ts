// One process, one call: what the plugin kit makes of it, in both languages alike.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import { invocationLine, startPluginProcess } from '../../support/plugin-process.ts';
import { KITS, ODD } from './kits.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-kit-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(KITS)('the $kit kit, one process a call,', (program) => {
  const start = () => startPluginProcess(program, { VCP_PLUGIN_DATA_DIR: '/data/of/the/plugin' });

  const run = async (input: string | Uint8Array) => {
    const plugin = start();
    plugin.write(input);
    plugin.endInput();
    const exit = await plugin.ended;
    return { exit, frames: plugin.frames(), stderr: plugin.stderr() };
  };

  const call = async (command: string, args: unknown = {}) => {
    const { exit, frames, stderr } = await run(invocationLine(command, args));
    expect(exit).toBe(0);
    const results = frames.filter(({ vcp }) => vcp === 'tool-result');
    expect(results).toHaveLength(1);
    expect(frames.at(-1)).toBe(results[0]);
    // What the core checks of every payload holds for whatever the kit makes up itself.
    return { payload: PluginResultPayload.parse(results[0]?.payload), frames, stderr };
  };

  it('answers with what the handler returned, as a success', async () => {
    const { frames, stderr } = await call('Echo', { text: '会 📅 \u2028', none: null, list: [1, 2.5, true] });
    expect(frames).toEqual([
      {
        vcp: 'tool-result',
        version: '1.0',
        payload: { status: 'success', data: { text: '会 📅 \u2028', none: null, list: [1, 2.5, true] } },
      },
    ]);
    expect(stderr).toBe('');
  });

  it('tells the handler all that the host said of the call', async () => {
    const actor = { type: 'human', id: 'u1', name: null, maid: null };
    const context = {
      invocationId: 'ti_01K00000000000000000000000',
      requestId: 'req_01K00000000000000000000000',
      toolName: 'Fixture',
      source: 'human',
      actor,
      requestIp: '127.0.0.1',
      deadline: '2026-11-30T10:00:00.250Z',
      resourceDir: '/a/directory',
    };
    const { frames } = await run(invocationLine('Context', {}, { context }));
    expect(frames[0]).toMatchObject({
      payload: {
        data: { command: 'Context', ...context, dataDir: '/data/of/the/plugin', cancelled: false, reports: 'function' },
      },
    });
  });

  it('fills in nulls, and a deadline far away, for a call that was written by hand', async () => {
    const { payload } = await call('Context');
    expect(payload.data).toMatchObject({ invocationId: null, source: null, actor: null, resourceDir: null });
    expect(Number((payload.data as { deadline: string }).deadline.match(/^\+?(\d+)-/)?.[1])).toBeGreaterThan(9_000);
  });

  it('passes on progress within what the protocol allows, and none after the result', async () => {
    const { frames, payload } = await call('Progress');
    expect(payload).toMatchObject({ status: 'partial', data: [], warnings: [{ code: 'SOME_LEFT' }] });
    expect(frames.slice(0, -1).map((frame) => frame.payload)).toEqual([
      { stage: 'half', progress: 0.5, message: 'begun ✓' },
      { stage: null, progress: 1, message: 'x'.repeat(2_000) },
      { stage: null, progress: null, message: null },
    ]);
  });

  it('turns a PluginError into an error result, and ends with 0', async () => {
    const { payload, stderr } = await call('Fail');
    expect(payload).toMatchObject({
      status: 'error',
      data: null,
      error: {
        code: 'FILES.NOT_FOUND',
        message: 'there is no such file; give one that exists',
        target: 'path',
        details: { path: 'a.txt' },
        retryable: true,
        category: 'dependency',
        cause: null,
      },
    });
    expect(stderr).toBe('');
  });

  it('tells the cause of a PluginError without its stack', async () => {
    const { payload } = await call('Fail', { cause: true });
    expect(payload.error?.cause).toEqual({ code: 'RangeError', message: 'out of reach' });
  });

  it('reports an unexpected exception, and keeps its stack for the log', async () => {
    const { frames, payload, stderr } = await call('Crash');
    expect(payload.error).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: 'the plugin failed: fell over',
      details: { thrown: 'TypeError' },
    });
    expect(stderr).toMatch(/TypeError: fell over/);
    expect(stderr).toMatch(/plugin\.(mjs|py)/);
    expect(JSON.stringify(frames)).not.toMatch(/plugin\.(mjs|py)/);
  });

  it.each(ODD[program.kit] ?? [])(
    'answers for a handler that throws or returns what cannot be told: %s',
    async (kind) => {
      const { payload } = await call('Odd', { kind });
      expect(payload.error).toMatchObject({
        code: 'INTERNAL_ERROR',
        message: expect.stringMatching(/^the plugin failed/) as string,
      });
    },
  );

  it('sends what a handler prints to stderr', async () => {
    const { payload, stderr } = await call('Print');
    expect(payload.data).toBe('printed');
    expect(stderr).toContain('a debugging line\n');
    expect(stderr).toContain('without a line end');
    expect(stderr).toContain('for the log');
  });

  it('keeps the pipes of the host from child processes', async () => {
    expect((await call('Child')).payload.data).toBe('');
  });

  it.each([
    ['nan', '/data/deep/1/value', /is NaN|is nan/],
    ['cycle', '/data/self', /refers to itself/],
    ['surrogate', '/data/text', /lone surrogate/],
    ['type', '/data/value', /is a Map|of type set/],
    ['bytes', '/data/value', /holds bytes|of type bytes/],
  ])('names the place of a value that JSON cannot carry: %s', async (kind, pointer, message) => {
    const { payload } = await call('Unfit', { kind });
    expect(payload.error).toMatchObject({ code: 'INVALID_TOOL_RESULT', details: { pointer } });
    expect(payload.error?.message).toMatch(message);
  });

  it('names it in the details of an error too', async () => {
    const { payload } = await call('UnfitDetails');
    expect(payload.error).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      details: { pointer: '/error/details/size' },
    });
  });

  it('says what a handler that returns nothing has to return', async () => {
    const { payload } = await call('Nothing');
    expect(payload.error?.code).toBe('INVALID_TOOL_RESULT');
    expect(payload.error?.message).toMatch(/"Nothing" returned .*; it has to return/);
  });

  it.each(['Missing', 'constructor', '__init__'])('knows no command %s', async (command) => {
    const { payload } = await call(command);
    expect(payload.error).toMatchObject({ code: 'UNKNOWN_COMMAND', target: 'command' });
    expect(payload.error?.message).toContain('Echo, Context');
  });

  it('reads a frame that comes byte by byte, with a byte-order mark and CRLF, while stdin stays open', async () => {
    const plugin = start();
    const line = `\uFEFF${invocationLine('Echo', { text: '会📅' }).trimEnd()}\r\n`;
    for (const byte of Buffer.from(line)) plugin.write(Buffer.from([byte]));
    const [frame] = await plugin.received('tool-result', 1);
    expect(frame?.payload).toEqual({ status: 'success', data: { text: '会📅' } });
    expect(await plugin.ended).toBe(0);
  });

  it('reads a last line without a line break', async () => {
    const { frames } = await run(invocationLine('Echo', {}).trimEnd());
    expect(frames).toMatchObject([{ payload: { status: 'success' } }]);
  });

  it('takes and gives frames of 10 MB', async () => {
    const text = '📅'.repeat(2_500_000);
    const { payload } = await call('Echo', { text });
    expect((payload.data as { text: string }).text === text).toBe(true);
    const big = await call('Big', { characters: 4_000_000 });
    expect((big.payload.data as string).length).toBe(4_000_000);
  });

  it('ends silently when stdin ends before there was a frame: nobody needs it', async () => {
    expect(await run('')).toEqual({ exit: 0, frames: [], stderr: '' });
    expect(await run('\n')).toEqual({ exit: 0, frames: [], stderr: '' });
  });

  it.each([
    ['no JSON', 'Echo\n', /not JSON/],
    ['bytes that are not UTF-8', Buffer.from('"\xff"\n', 'latin1'), /not UTF-8/],
    ['JSON that is no frame', '[]\n', /no frame/],
    ['a frame of another version', '{"vcp":"tool-invocation","version":"2.0"}\n', /version "1\.0"/],
    ['another frame', '{"vcp":"cancel","version":"1.0"}\n', /"cancel" frame/],
    ['a deadline that is none', invocationLine('Echo', {}, { context: { deadline: 'soon' } }), /"soon"|'soon'/],
    ['a frame without a payload', '{"vcp":"tool-invocation","version":"1.0"}\n', /payload\.command/],
  ])('answers nothing, and says why on stderr, when stdin holds %s', async (_name, input, reason) => {
    const { exit, frames, stderr } = await run(input);
    expect({ exit, frames }).toEqual({ exit: 1, frames: [] });
    expect(stderr).toMatch(reason);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it('on SIGTERM lets the handler clean up, and ends without a result', async () => {
    const file = join(directory, `${program.kit}-oneshot`);
    const plugin = start();
    plugin.write(invocationLine('Wait', { file }));
    await plugin.received('progress', 1);
    plugin.child.kill('SIGTERM');
    expect(await plugin.ended).toBe(143);
    expect(readFileSync(file, 'utf8')).toBe('cleaned up');
    expect(plugin.frames().filter(({ vcp }) => vcp === 'tool-result')).toEqual([]);
    expect(plugin.stderr()).toBe('');
  });

  it('is quiet when the host has gone and nobody reads', async () => {
    const plugin = start();
    plugin.child.stdout?.destroy();
    plugin.write(invocationLine('Big', { characters: 1_000_000 }));
    expect(await plugin.ended).toBe(0);
    expect(plugin.stderr()).toBe('');
  });
});
