// Events of a server as operators run it: a service that is changed, keys that are revoked, `vcp events`, and the end.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { manifestOf, repositoryRoot, type PluginSpec } from '../support/manifest.ts';
import {
  cleanEnvironment,
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';
import { sha256OfFile } from '../support/manifest.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const home = temporaryHome();
let server: ServerProcess;

const service = (word: string) => `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
let timer;
export const initialize = ({ config, push, onEvent, dataDirectory, logger }) => {
  logger.info('watcher.began', { word: '${word}' });
  appendFileSync(join(dataDirectory, 'lives.txt'), '${word} began\\n');
  timer = setInterval(() => push('tick', { word: '${word}', colour: config.COLOUR }), 30);
  onEvent({ types: ['result'] }, ({ toolName }) => push('heard', { toolName }));
  globalThis.lives = dataDirectory;
};
export const shutdown = () => {
  clearInterval(timer);
  appendFileSync(join(globalThis.lives, 'lives.txt'), '${word} ended\\n');
};
`;
const watcher = (version: string): PluginSpec => ({
  name: 'Watcher',
  module: 'watcher.mjs',
  more: {
    version,
    pluginType: 'service',
    capabilities: {},
    configSchema: { type: 'object', properties: { COLOUR: { type: 'string', default: 'red' } } },
  },
});

beforeAll(async () => {
  const echo = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
  const first = writePlugin(home.plugins, { ...watcher('1.0.0'), moduleText: service('one') });
  const other = join(home.root, 'two.mjs');
  writeFileSync(other, service('two'));
  server = await startServerProcess(home, {
    VCP_TRUSTED_MODULES: [echo.sha256, first.sha256, sha256OfFile(other)].join(','),
    VCP_LIMIT_PUSH_RECHECK_MS: '200',
  });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

type Message = { type: string; toolName?: string; data?: { name?: string; message?: Record<string, unknown> } };

const connect = async (key = server.key, query = '') => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ws${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const received: Message[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Message));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  const has = (fits: (message: Message) => boolean) =>
    expect.poll(() => received.some(fits), { timeout: 20_000 }).toBe(true);
  return { socket, received, closed, has };
};
const isPushed = (name: string, message: object) => (event: Message) =>
  event.type === 'plugin_message' &&
  event.data?.name === name &&
  Object.entries(message).every(([key, value]) => event.data?.message?.[key] === value);

describe('a service', () => {
  it('is no tool, pushes with its configuration, hears of calls, and its log lines are events for operators', async () => {
    const client = await connect();
    const { tools } = (await (await server.request('/v1/tools')).json()) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['Echo', 'ResultReader', 'TaskScheduler']);
    await client.has(isPushed('tick', { word: 'one', colour: 'red' }));
    await server.call('Echo', { a: 1 });
    await client.has(isPushed('heard', { toolName: 'Echo' }));
    await client.has(({ type, toolName }) => type === 'vcp_log' && toolName === 'Echo');
    client.socket.close();
  });

  it('is replaced while the server runs, and switched off', async () => {
    const client = await connect();
    await client.has(isPushed('tick', { word: 'one' }));
    const put = (file: string, text: string) => {
      const path = join(home.plugins, 'Watcher', file);
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    };
    put('watcher.mjs', service('two'));
    put('plugin-manifest.json', JSON.stringify(manifestOf(watcher('2.0.0'))));
    await client.has(isPushed('tick', { word: 'two' }));
    const after = client.received.length;
    await expect.poll(() => client.received.length).toBeGreaterThan(after + 3);
    expect(client.received.slice(after).some(isPushed('tick', { word: 'one' }))).toBe(false);

    const { code } = await vcp(home, ['plugins', 'disable', 'Watcher'], { VCP_URL: server.url });
    expect(code).toBe(0);
    await client.has(({ type, data }) => type === 'vcp_log' && JSON.stringify(data).includes('service.stopped'));
    client.socket.close();
  });
});

describe('a key', () => {
  it('that is revoked loses its connection within seconds', async () => {
    const made = await vcp(home, ['keys', 'new', '--name', 'guest', '--role', 'human']);
    const client = await connect(made.stdout.trim());
    await vcp(home, ['keys', 'revoke', 'guest']);
    expect(await client.closed).toBe(4001);
  });
});

/** `vcp events` in a pipe, and the events that it has printed. */
const follow = async (...args: string[]): Promise<{ child: ChildProcess; printed: Message[] }> => {
  const cli = join(repositoryRoot, 'adapters/node/cli.ts');
  const child = spawn(process.execPath, [cli, 'events', ...args], {
    cwd: home.root,
    env: cleanEnvironment(home, { VCP_URL: server.url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: Message[] = [];
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    printed.push(...lines.map((line) => JSON.parse(line) as Message));
  });
  return { child, printed };
};

describe('vcp events', () => {
  it('prints a line of JSON for each event in a pipe, and ends well with Ctrl-C', async () => {
    const { child, printed } = await follow('--type', 'result', '--tool', 'Echo');
    await expect
      .poll(
        async () => {
          await server.call('Echo', {});
          return printed.length;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0);
    expect(printed.every(({ type, toolName }) => type === 'result' && toolName === 'Echo')).toBe(true);
    child.kill('SIGINT');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('says what is wrong with an event that it is to begin after', async () => {
    const { code, stderr } = await vcp(home, ['events', '--after', 'yesterday'], { VCP_URL: server.url });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('evt_') });
  });
});

describe('a server that stops', () => {
  it('tells its clients, and is not held up by them', async () => {
    const client = await connect();
    const headers = { authorization: `Bearer ${server.key}` };
    const stream = await fetch(`${server.url}/v1/events`, { headers });
    const ended = stream.text();
    server.kill('SIGTERM');
    expect(await client.closed).toBe(1001);
    expect(await ended).toContain('event: subscribed');
    expect((await server.exit).code).toBe(0);
  });
});
