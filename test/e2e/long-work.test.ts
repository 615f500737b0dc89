// The two plugins that work for long, in two languages, through a real server and its command line: accepted, progress,
// callback, resource; and what becomes of a job when it is cancelled, killed, or its server is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TextWriter, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { PNG } from 'pngjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { TaskDescription } from '../../src/protocol/task-listing.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { processesLeft, processesWith, until } from '../support/processes.ts';
import {
  cleanEnvironment,
  startServerProcess,
  temporaryHome,
  vcp,
  type ServerProcess,
} from '../support/server-process.ts';
import { hasTerminals, KEYS, vcpOnTerminal } from '../support/terminal.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** All of it is inside, and each of its points takes all iterations: minutes, on any machine. */
const LONG = {
  kind: 'julia',
  constant: [0, 0],
  center: [0, 0],
  span: 0.1,
  width: 256,
  height: 2_048,
  iterations: 5_000,
};
/** A second or two, with a row every few milliseconds. */
const SHORT = { width: 160, height: 120, iterations: 300 };

let home: ReturnType<typeof temporaryHome>;
let server: ServerProcess;
beforeEach(async () => {
  home = temporaryHome();
  // Copies, which a test may change, beside what they import.
  for (const shared of ['plugin-kit', 'node_modules'])
    symlinkSync(join(repositoryRoot, shared), join(home.root, shared));
  for (const name of ['FileArchiver', 'FractalRenderer'])
    cpSync(join(repositoryRoot, 'plugins-stdio', name), join(home.plugins, name), { recursive: true });
  server = await start();
});
afterEach(async () => {
  server.kill('SIGKILL');
  await server.exit;
  home.remove();
});

/** Without processes that wait for calls: every one that there is works on a job. */
const start = (environment: Record<string, string> = {}) =>
  startServerProcess(home, { VCP_LIMIT_STANDBY_PROCESSES: '0', ...environment });
const taskOf = async (id: string, at = server) =>
  (await (await at.request(`/v1/tasks/${id}`)).json()) as TaskDescription;
const ended = async (id: string, at = server): Promise<CanonicalToolResult> => {
  await until('the task has ended', async () => (await taskOf(id, at)).resultId !== null, 40_000);
  const { resultId } = await taskOf(id, at);
  return (await (await at.request(`/v1/results/${resultId}`)).json()) as CanonicalToolResult;
};
const accepted = async (tool: string, args: object): Promise<string> => {
  const answer = await server.call(tool, args);
  expect(answer).toMatchObject({ status: 'accepted', task: { state: 'running' } });
  return answer.task!.id;
};
const atWork = (id: string) =>
  until('the job tells its progress', async () => ((await taskOf(id)).progress ?? 0) > 0, 30_000);
const upload = async (fileName: string, bytes: Uint8Array<ArrayBuffer>) => {
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await server.request(`/v1/resources?fileName=${fileName}`, { method: 'POST', headers, body: bytes });
  return ((await answer.json()) as { id: string }).id;
};
const bytesOf = async ({ resources }: CanonicalToolResult) => {
  const answer = await server.request(`/v1/resources/${resources[0]!.id}`);
  return new Uint8Array(await answer.arrayBuffer());
};

type Told = { readonly event: string; readonly data: Record<string, unknown> };
const eventsIn = (text: string): Told[] =>
  [...text.matchAll(/^event: (\w+)\n(?:id: .*\n)?data: (.*)$/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>,
  }));

/** What clients that listen are pushed, from now until there is a result with this status. */
const pushed = async (tool: string): Promise<{ untilResult(status: string): Promise<Told[]> }> => {
  const stop = new AbortController();
  const response = await server.request(`/v1/events?tools=${tool}`, { signal: stop.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let text = (await reader.read()).value ?? '';
  return {
    untilResult: async (status) => {
      const isThere = () =>
        eventsIn(text).some(({ event, data }) => event === 'result' && JSON.stringify(data).includes(`"${status}"`));
      while (!isThere()) text += (await reader.read()).value ?? '';
      stop.abort();
      return eventsIn(text);
    },
  };
};

/** Follows a job by its own stream and by what is pushed, and gives its result. */
const followed = async (tool: string, args: object) => {
  const push = await pushed(tool);
  const id = await accepted(tool, args);
  const stream = eventsIn(await (await server.request(`/v1/tasks/${id}/events`)).text());
  const told = await push.untilResult('success');
  const result = await ended(id);
  expect(stream.at(-1)).toMatchObject({ event: 'result', data: { id: result.id, status: 'success' } });
  const states = stream.filter(({ event }) => event === 'task').map(({ data }) => data as unknown as TaskDescription);
  expect(states.at(-1)).toMatchObject({ state: 'completed', resultId: result.id });
  expect(states.some(({ progress, state }) => state === 'running' && progress !== null)).toBe(true);
  const shares = told.filter(({ event }) => event === 'vcp_info').map(({ data }) => data['progress'] as number);
  expect(shares.length).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(result).toMatchObject({ task: { id, state: 'completed' }, origin: { source: 'callback' } });
  return result;
};

describe('a job', () => {
  it('of FileArchiver is accepted, tells its progress, calls back and leaves a ZIP', async () => {
    const noise = new Uint8Array(3_000_000).map((_, index) => (index * 2_654_435_761) >>> 13);
    const files = [await upload('noise.bin', noise), await upload('a.txt', new TextEncoder().encode('hello'))];
    const result = await followed('FileArchiver', { files, fileName: 'both.zip' });
    expect(result.data).toMatchObject({ totalBytes: 3_000_005, entries: [{ name: 'noise.bin' }, { name: 'a.txt' }] });
    expect(result.resources).toMatchObject([{ fileName: 'both.zip', mimeType: 'application/zip', kind: 'archive' }]);
    const entries = await new ZipReader(new Uint8ArrayReader(await bytesOf(result))).getEntries();
    expect(entries.map(({ filename, uncompressedSize }) => [filename, uncompressedSize])).toEqual([
      ['noise.bin', 3_000_000],
      ['a.txt', 5],
    ]);
    const [, text] = entries;
    expect(text?.directory === false ? await text.getData(new TextWriter()) : null).toBe('hello');
  });

  it('of FractalRenderer is accepted, tells its progress, calls back and leaves a PNG', async () => {
    const result = await followed('FractalRenderer', SHORT);
    expect(result.resources).toMatchObject([{ mimeType: 'image/png', dimensions: { width: 160, height: 120 } }]);
    const { width, height, data } = PNG.sync.read(Buffer.from(await bytesOf(result)));
    expect([width, height]).toEqual([160, 120]);
    const black = Array.from({ length: width * height }, (_, at) => data.readUIntBE(at * 4, 3)).filter((c) => c === 0);
    expect(black.length).toBe((result.data as { pointsInside: number }).pointsInside);
  });

  it('that is cancelled has gone, and so has its process', async () => {
    const id = await accepted('FractalRenderer', LONG);
    await atWork(id);
    const answer = await server.request(`/v1/tasks/${id}/cancel`, { method: 'POST', body: '{"reason":"enough"}' });
    expect(await answer.json()).toMatchObject({ state: 'cancelled' });
    expect(await ended(id)).toMatchObject({ status: 'cancelled', error: { code: 'TOOL_CANCELLED' } });
    expect(await jobsLeft()).toEqual([]);
  });

  it('whose process is killed has failed', async () => {
    const id = await accepted('FractalRenderer', LONG);
    await atWork(id);
    for (const { pid } of jobs()) process.kill(pid, 'SIGKILL');
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'error', error: { code: 'TRANSPORT_FAILURE' }, task: { state: 'failed' } });
    expect(result.error?.message).toContain('SIGKILL');
  });

  it('whose process gives up has failed, and its last words are in the result', async () => {
    const dying = "import os as o, sys as s; s.stderr.write('out of paint\\n'); s.stderr.flush(); o._exit(3)";
    const path = join(home.plugins, 'FractalRenderer', 'fractal_renderer', 'render.py');
    writeFileSync(path, readFileSync(path, 'utf8').replace('        picture.end()', `        ${dying}`));
    const result = await ended(await accepted('FractalRenderer', SHORT));
    expect(result).toMatchObject({ status: 'error', error: { code: 'TRANSPORT_FAILURE' }, task: { state: 'failed' } });
    expect(JSON.stringify(result.error)).toContain('out of paint');
  });

  it('runs beside another, and a third waits until one of the two places is free', async () => {
    const [first, second] = [await accepted('FractalRenderer', LONG), await accepted('FractalRenderer', LONG)];
    await Promise.all([atWork(first), atWork(second)]);
    let isAnswered = false;
    const third = server.call('FractalRenderer', { width: 16, height: 16 }).finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(isAnswered).toBe(false);
    expect(new Set(jobs().map(({ group }) => group)).size).toBe(2);
    await server.request(`/v1/tasks/${first}/cancel`, { method: 'POST', body: '{}' });
    expect(await ended((await third).task!.id)).toMatchObject({ status: 'success' });
    expect(await taskOf(second)).toMatchObject({ state: 'running' });
  });

  it('ends as it began when its plugin is changed meanwhile', async () => {
    const id = await accepted('FractalRenderer', { ...SHORT, iterations: 2_000 });
    const path = join(home.plugins, 'FractalRenderer', 'plugin-manifest.json');
    const manifest = readFileSync(path, 'utf8').replace('"version": "1.0.0"', '"version": "2.0.0"');
    writeFileSync(path, manifest.replace('"required": ["image", "kind"', '"required": ["drawing", "image", "kind"'));
    await server.request('/v1/plugins/reload', { method: 'POST' });
    const tool = (await (await server.request('/v1/tools/FractalRenderer')).json()) as { version: string };
    expect(tool.version).toBe('2.0.0');
    expect(await ended(id)).toMatchObject({ status: 'success', tool: { version: '1.0.0' } });
  });
});

const jobs = () => processesWith(`${home.data}/plugins/FractalRenderer`);
const jobsLeft = () => processesLeft(`${home.data}/plugins/FractalRenderer`, 5_000);

describe('a server that ends in the middle of a job', () => {
  it('by SIGTERM ends it as failed, and it may be tried again', async () => {
    const id = await accepted('FractalRenderer', LONG);
    await atWork(id);
    server.kill('SIGTERM');
    expect((await server.exit).code).toBe(0);
    expect(await jobsLeft()).toEqual([]);
    server = await start();
    expect(await ended(id)).toMatchObject({ error: { code: 'TRANSPORT_FAILURE', retryable: true } });
  });

  it('by kill -9 takes its processes along, and the time of the task ends it', async () => {
    server.kill('SIGKILL');
    await server.exit;
    const hurried = { VCP_LIMIT_TASK_MS: '6000', VCP_LIMIT_TASK_SWEEP_MS: '100' };
    server = await start(hurried);
    const id = await accepted('FractalRenderer', LONG);
    await atWork(id);
    server.kill('SIGKILL');
    await server.exit;
    expect(await processesLeft(`${home.data}/plugins/FractalRenderer`, 20_000)).toEqual([]);
    server = await start(hurried);
    expect(await ended(id)).toMatchObject({ status: 'timeout', error: { code: 'TOOL_TIMEOUT' } });
  });
});

type Line = { readonly event: string; readonly data: Record<string, unknown> };
const linesOf = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** `vcp` beside the test, to be met by signals. */
const running = (args: readonly string[]) => {
  const child = spawn(process.execPath, [join(repositoryRoot, 'adapters/node/cli.ts'), ...args], {
    cwd: home.root,
    env: cleanEnvironment(home, { VCP_URL: server.url }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, exit, stdout: () => stdout, stderr: () => stderr };
};

describe('vcp call --wait', () => {
  const environment = () => ({ VCP_URL: server.url });

  it('in a pipe prints a line of JSON for each event, the result last, and saves its files', async () => {
    writeFileSync(join(home.root, 'a.txt'), 'one');
    writeFileSync(join(home.root, 'b.txt'), 'two');
    const files = ['--arg', 'files=@a.txt', '--arg', 'files=@b.txt'];
    const run = await vcp(home, ['call', 'FileArchiver', ...files, '--wait', '--save', 'out'], environment());
    expect(run.code).toBe(0);
    const lines = linesOf(run.stdout);
    expect(lines[0]).toMatchObject({ event: 'accepted', data: { status: 'accepted' } });
    expect(lines.at(-2)).toMatchObject({ event: 'task', data: { state: 'completed' } });
    expect(lines.at(-1)).toMatchObject({ event: 'result', data: { status: 'success', data: { totalBytes: 6 } } });
    expect(readdirSync(join(home.root, 'out'))).toEqual(['files.zip']);
  });

  it('ends with the code of the final result, in the view that was asked for', async () => {
    const args = ['--json', '{"width":2048,"height":2048}', '--view', 'ai', '--wait'];
    const { code, stdout } = await vcp(home, ['call', 'FractalRenderer', ...args], environment());
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['result']);
    expect(linesOf(stdout)[0]?.data['text']).toContain('FRACTAL.TOO_LARGE');
  });

  it('cancels the task when it is interrupted', async () => {
    const run = running(['call', 'FractalRenderer', '--json', JSON.stringify(LONG), '--wait']);
    await until('progress is told', () => /"progress":0\.0/.test(run.stdout()), 30_000);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(130);
    expect(linesOf(run.stdout()).at(-1)).toMatchObject({ event: 'result', data: { status: 'cancelled' } });
    expect(await jobsLeft()).toEqual([]);
  });

  it.skipIf(!hasTerminals)('shows a bar on a terminal (skipped without util-linux script)', async () => {
    const args = ['call', 'FractalRenderer', '--json', JSON.stringify(LONG), '--wait'];
    const terminal = vcpOnTerminal(home, args, environment());
    await terminal.waitFor('rendering  1%');
    expect(terminal.text()).toContain('────────────────────');
    terminal.type(KEYS.interrupt);
    expect(await terminal.exit).toBe(130);
    expect(terminal.text()).toContain('cancelling task_');
    expect(terminal.text()).toContain('✖ FractalRenderer · Render: cancelled');
  });
});

describe('vcp tasks', () => {
  it('watches a task across a restart of its server, and is told how it ended', async () => {
    const port = new URL(server.url).port;
    const id = await accepted('FractalRenderer', LONG);
    const run = running(['tasks', 'watch', id]);
    await until('it follows', () => run.stdout().includes('"event":"task"'), 20_000);
    server.kill('SIGTERM');
    await server.exit;
    server = await start({ VCP_PORT: port });
    expect(await run.exit).toBe(1);
    expect(linesOf(run.stdout()).at(-1)).toMatchObject({ data: { error: { code: 'TRANSPORT_FAILURE' } } });
  });

  it('leaves the task alone when the watching is interrupted; lists, shows and cancels it', async () => {
    const environment = { VCP_URL: server.url };
    const id = await accepted('FractalRenderer', LONG);
    const run = running(['tasks', 'watch', id]);
    await until('it follows', () => run.stdout().includes('"event":"task"'), 20_000);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(130);
    expect(run.stderr()).toContain(`vcp tasks cancel ${id} ends it`);
    const listed = await vcp(home, ['tasks', '--state', 'running'], environment);
    expect(JSON.parse(listed.stdout)).toMatchObject({ id, tool: 'FractalRenderer', state: 'running' });
    const completed = await vcp(home, ['complete', 'zsh', '--', 'tasks', 'watch', ''], {
      ...environment,
      VCP_COMPLETION_MS: '20000',
    });
    expect(completed.stdout).toBe(`values\n${id}\tFractalRenderer running\n`);
    const cancelled = await vcp(home, ['tasks', 'cancel', id, '--reason', 'not needed'], environment);
    expect(cancelled).toMatchObject({ code: 0, stdout: '' });
    expect(cancelled.stderr).toContain('cancelled: FractalRenderer · Render');
    const shown = await vcp(home, ['tasks', 'show', id], environment);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, state: 'cancelled' });
    const again = await vcp(home, ['tasks', 'watch', id], environment);
    expect(again.code).toBe(1);
    expect(linesOf(again.stdout).map(({ event }) => event)).toEqual(['task', 'result']);
    const unknown = await vcp(home, ['tasks', 'watch', 'task_nothing'], environment);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
  });
});
