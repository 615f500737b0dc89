// What flows through the pipes of a plugin's process: all of it arrives, none of it exhausts the host.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeUnharmed,
  detailsOf,
  ECHO,
  expectUnharmed,
  INVALID_RESULT,
  SUCCESS,
  TRANSPORT_FAILURE,
  verdictOf,
} from '../../support/call-expectations.ts';
import { stdioFixtures } from '../../support/manifest.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesWith, until } from '../../support/processes.ts';

const shell = (name: string, text: string) => ({ name, command: './run.sh', args: [text] });
const vanishing = mkdtempSync(join(tmpdir(), 'vcp-test-plugin-'));

let host: NodeRuntime;
beforeAll(async () => {
  mkdirSync(join(vanishing, 'plugin'));
  copyFileSync(join(stdioFixtures, 'print.sh'), join(vanishing, 'plugin', 'print.sh'));
  chmodSync(join(vanishing, 'plugin', 'print.sh'), 0o755);
  host = await openNodeRuntime([
    ECHO,
    { name: 'Large20', command: 'node', args: ['large-frame.mjs', '20'] },
    { name: 'Large20Open', command: 'node', args: ['large-frame.mjs', '20', 'open'] },
    { name: 'Large15', command: 'node', args: ['large-frame.mjs', '15'] },
    { name: 'ResultNode', command: 'node', args: ['large-result.mjs'] },
    { name: 'ResultPython', command: 'python3', args: ['large-result.py'] },
    { name: 'Dribble', command: 'python3', args: ['dribble.py'] },
    { name: 'Progress4', command: 'node', args: ['progress.mjs', '4'] },
    { name: 'ProgressFlood', command: 'node', args: ['progress.mjs', '50000'] },
    { name: 'Bomb', command: 'node', args: ['nesting-bomb.mjs', '1000000'] },
    shell(
      'Ended',
      `sleep 0.05; printf '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":"'; head -c 60000 /dev/zero | tr '\\0' x; printf '"}}'`,
    ),
    shell('StderrFlood', `head -c 50000000 /dev/zero | tr '\\0' x >&2; echo the last words >&2; exit 3`),
    shell('StderrAndResult', `echo a remark >&2; echo "$FRAME"`),
    shell('ClosesInput', `exec 0<&-; sleep 0.2; echo "$FRAME"`),
    shell('ReadsNothing', `sleep 0.2; echo "$FRAME"`),
    shell('ReadsNothingAndFails', `exit 4`),
    { name: 'Environment', command: 'node', args: ['environment.mjs'] },
    { name: 'NoSuchCommand', command: 'vcp-no-such-command' },
    { name: 'NotExecutable', command: './not-executable' },
    { name: 'NoSuchInterpreter', command: './no-such-script.sh' },
    { name: 'Vanished', command: './print.sh', directory: join(vanishing, 'plugin') },
  ]);
});
afterAll(async () => {
  await closeUnharmed(host);
  rmSync(vanishing, { recursive: true, force: true });
});

describe('large output', () => {
  it.each(['Large20', 'Large20Open'])('refuses a frame of 20 MiB: %s', async (tool) => {
    const result = await host.call(tool);
    expect(verdictOf(result)).toEqual(INVALID_RESULT);
    expect(result.error?.message).toContain('larger than 16777216 bytes');
    expect(String(detailsOf(result)['firstOffendingOutput']).length).toBeLessThan(200);
    await expectUnharmed(host);
  });

  it('takes a frame of 15 MiB', async () => {
    const result = await host.call('Large15');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect((result.data as unknown as string).length).toBe(15 * 1024 * 1024);
  });

  it.each(['ResultNode', 'ResultPython'])(
    'loses nothing of 5 MB when the process ends at once, 20 times: %s',
    async (tool) => {
      for (let round = 0; round < 10; round += 1) {
        const results = await Promise.all([host.call(tool), host.call(tool)]);
        for (const result of results) {
          expect(verdictOf(result)).toEqual(SUCCESS);
          const text = result.data as unknown as string;
          expect(text.length).toBe(5_000_003);
          expect(text.endsWith('0123456789end')).toBe(true);
        }
      }
    },
  );

  it('loses nothing when the process has long ended before the host looks', async () => {
    for (const tool of ['Ended', 'Ended', 'Ended', 'Ended', 'Ended']) {
      const call = host.call(tool);
      // The process is started a few turns of the event loop after the call, writes what a pipe holds, and ends.
      await until('the process runs', () => processesWith(`plugins/${tool}`).length > 0);
      const end = performance.now() + 150;
      while (performance.now() < end) Math.sqrt(end);
      const result = await call;
      expect(verdictOf(result)).toEqual(SUCCESS);
      expect(result.data as unknown as string).toHaveLength(60_000);
    }
  });

  it('refuses a million levels of nesting', async () => {
    const result = await host.call('Bomb');
    expect(verdictOf(result)).toEqual(INVALID_RESULT);
    expect(result.error?.message).toContain('deeper than 66 levels');
  });

  it('keeps the end of 50 MB on stderr, and not the rest in memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const result = await host.call('StderrFlood');
    clearInterval(sampler);
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    const tail = detailsOf(result)['stderr'] as string;
    expect(tail.endsWith('xxx\nthe last words') || tail.endsWith('xxxthe last words')).toBe(true);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(64 * 1024);
    expect((peak - before) / 1024 / 1024).toBeLessThan(40);
  });
});

describe('output in pieces', () => {
  it('puts a frame together that comes byte by byte', async () => {
    const result = await host.call('Dribble');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(result.data).toBe('é 漢 𝄞 }{" ][');
  });

  it('reports progress in order and then the result', async () => {
    host.events.length = 0;
    const result = await host.call('Progress4');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(host.events.map(({ stage, progress, message }) => ({ stage, progress, message }))).toEqual([
      { stage: 'work', progress: 0.25, message: 'step 1' },
      { stage: 'work', progress: 0.5, message: 'step 2' },
      { stage: 'work', progress: 0.75, message: 'step 3' },
      { stage: 'work', progress: 1, message: 'step 4' },
    ]);
    expect(new Set(host.events.map(({ invocationId }) => invocationId))).toEqual(
      new Set([result.execution.invocationId]),
    );
  });

  it('ignores progress beyond its limit, and still takes the result', async () => {
    host.events.length = 0;
    const result = await host.call('ProgressFlood');
    expect(result.data).toEqual({ count: 50_000 });
    expect(host.events).toHaveLength(10_000);
  });

  it('leaves stderr out of a success', async () => {
    const result = await host.call('StderrAndResult');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(JSON.stringify(result)).not.toContain('a remark');
  });
});

describe('input', () => {
  const args = { text: 'y'.repeat(5_000_000) };

  it.each(['ClosesInput', 'ReadsNothing'])(
    'takes the result of a process that reads nothing of 5 MB: %s',
    async (tool) => {
      const result = await host.call(tool, args);
      expect(verdictOf(result)).toEqual(SUCCESS);
      expect(result.data).toEqual({ from: 'sh' });
    },
  );

  it('says how a process ended that read nothing and failed', async () => {
    const result = await host.call('ReadsNothingAndFails', args);
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(detailsOf(result)).toMatchObject({ exitCode: 4 });
  });

  it('hands 5 MB of arguments over whole, and the context with them', async () => {
    const result = await host.call('Echo', { ...args, astral: '𝄞', nul: '\0' });
    const data = result.data as unknown as {
      arguments: typeof args & { astral: string; nul: string };
      context: Record<string, unknown>;
    };
    expect(data.arguments.text.length).toBe(5_000_000);
    expect(data.arguments.astral + data.arguments.nul).toBe('𝄞\0');
    expect(data.context).toEqual({
      invocationId: result.execution.invocationId,
      requestId: result.execution.requestId,
      toolName: 'Echo',
      source: 'human',
      actor: null,
      requestIp: null,
      deadline: expect.stringMatching(/^\d{4}-.*Z$/),
      resourceDir: expect.stringContaining(result.execution.invocationId),
    });
  });
});

describe('environment', () => {
  it('is an allow-list: nothing secret of the host gets in', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'host-secret-value';
    process.env['VCP_API_KEY'] = 'host-secret-value-2';
    process.env['NODE_OPTIONS_FOR_TEST'] = 'host-secret-value-3';
    try {
      const { data } = await host.call('Environment');
      const environment = data as unknown as Record<string, string>;
      expect(JSON.stringify(environment)).not.toContain('host-secret-value');
      const allowed = new Set([
        'PATH',
        'LANG',
        'LC_ALL',
        'LC_CTYPE',
        'TZ',
        'TMPDIR',
        'HOME',
        'PYTHONUTF8',
        'VCP_PLUGIN_DATA_DIR',
        'VCP_PROCESS_COOKIE',
        'VCP_STDIO_MODE',
      ]);
      expect(Object.keys(environment).filter((name) => !allowed.has(name))).toEqual([]);
      expect(environment).toMatchObject({
        PATH: process.env['PATH'],
        HOME: join(host.dataDirectory, 'plugins', 'Environment'),
        VCP_PLUGIN_DATA_DIR: join(host.dataDirectory, 'plugins', 'Environment'),
        VCP_STDIO_MODE: 'oneshot',
        PYTHONUTF8: '1',
      });
    } finally {
      delete process.env['AWS_SECRET_ACCESS_KEY'];
      delete process.env['VCP_API_KEY'];
      delete process.env['NODE_OPTIONS_FOR_TEST'];
    }
  });
});

describe('a process that cannot be started', () => {
  it.each([
    ['NoSuchCommand', 'ENOENT', 'was not found'],
    ['NoSuchInterpreter', 'ENOENT', 'was not found'],
    ['NotExecutable', 'EACCES', 'may not be executed'],
  ])('%s: %s', async (tool, errno, message) => {
    const result = await host.call(tool, { text: 'y'.repeat(1_000_000) });
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(detailsOf(result)).toEqual({ errno });
    expect(result.error?.message).toContain(message);
    await expectUnharmed(host);
  });

  it('is what is left of a plugin whose directory was deleted', async () => {
    rmSync(join(vanishing, 'plugin'), { recursive: true });
    const result = await host.call('Vanished');
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(result.error?.message).toContain('does the plugin directory exist');
  });
});
