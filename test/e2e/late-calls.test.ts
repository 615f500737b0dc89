// Calls at the end of a server: those whose client has gone, and those that come too late.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesLeft, processesWith, until } from '../support/processes.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

let home: ReturnType<typeof temporaryHome>;
let trusted: string;
beforeEach(() => {
  home = temporaryHome();
  trusted = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE }).sha256!;
  writePlugin(home.plugins, { name: 'Stubborn', command: 'python3', args: ['ignores-sigterm.py'], concurrency: 16 });
  writePlugin(home.plugins, { name: 'OneSecond', command: './run.sh', args: ['sleep 1; echo "$FRAME"'] });
});
afterEach(() => home.remove());

const start = () => startServerProcess(home, { VCP_TRUSTED_MODULES: trusted, VCP_LOG_LEVEL: 'warning' });
const running = (tool: string) => new Set(processesWith(`${home.data}/plugins/${tool}`).map(({ group }) => group)).size;

type Listed = { records: { status: string; toolName: string; resultId: string }[] };
const recordsOf = async (server: ServerProcess) =>
  ((await (await server.request('/v1/records')).json()) as Listed).records;

describe('calls whose clients have gone', () => {
  it('are ended, stored and on record when the server has ended', async () => {
    const server = await start();
    const clients = Array.from({ length: 6 }, () => new AbortController());
    const calls = clients.map(({ signal }) => server.call('Stubborn', {}, {}, signal).catch(() => 'gone'));
    await until('all run', () => running('Stubborn') === 6);
    for (const client of clients) client.abort();
    expect(await Promise.all(calls)).toEqual(Array(6).fill('gone'));
    server.kill('SIGTERM');
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(await processesLeft(home.data)).toEqual([]);
    expect(server.stderr()).not.toContain('call.not-stored');

    const again = await start();
    const records = await recordsOf(again);
    expect(records.map(({ status, toolName }) => `${toolName} ${status}`)).toEqual(Array(6).fill('Stubborn cancelled'));
    for (const { resultId } of records) expect((await again.request(`/v1/results/${resultId}`)).status).toBe(200);
    again.kill('SIGTERM');
    await again.exit;
  });
});

describe('a call on a connection that is open already', () => {
  const open = async (server: ServerProcess): Promise<{ socket: Socket; received: () => string }> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('error', () => undefined).on('data', (text) => (received += text as unknown as string));
    await once(socket, 'connect');
    return { socket, received: () => received };
  };
  const body = JSON.stringify({ tool: 'Echo', arguments: { n: 1 } });
  const head = (server: ServerProcess) =>
    `POST /v1/human/tool HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

  it('is 503 once the server is ending, tells when to come back, and runs nothing', async () => {
    const server = await start();
    const { socket, received } = await open(server);
    socket.write(head(server) + body);
    await until('the first call is answered', () => received().includes('"status":"success"'));
    // The second one has begun when the end comes, so its connection is kept until it is answered.
    socket.write(head(server) + body.slice(0, 5));
    const other = server.call('OneSecond');
    await until('another call runs', () => running('OneSecond') > 0);
    server.kill('SIGTERM');
    await until('the server takes no new connections', async () => {
      const probe = connect(Number(new URL(server.url).port), '127.0.0.1');
      const refused = await new Promise<boolean>((resolve) => {
        probe.once('connect', () => resolve(false)).once('error', () => resolve(true));
      });
      probe.destroy();
      return refused;
    });
    socket.write(body.slice(5));
    await once(socket, 'close');
    const answers = received().split(/(?=HTTP\/1\.1 )/);
    expect(answers).toHaveLength(2);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 200 /);
    expect(answers[1]).toMatch(/^HTTP\/1\.1 503 /);
    expect(answers[1]).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(answers[1]).toContain('"code":"SHUTTING_DOWN"');
    expect(await other).toMatchObject({ status: 'success' });
    expect(await server.exit).toEqual({ code: 0, signal: null });

    const again = await start();
    expect((await recordsOf(again)).map(({ toolName }) => toolName)).toEqual(['OneSecond', 'Echo']);
    again.kill('SIGTERM');
    await again.exit;
  });
});
