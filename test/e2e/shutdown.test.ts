// How a server ends: in order, in a hurry, and by kill -9.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
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
  writePlugin(home.plugins, { name: 'OneSecond', command: './run.sh', args: ['sleep 1; echo "$FRAME"'] });
  writePlugin(home.plugins, { name: 'Sleeps', command: './run.sh', args: ['sleep 600 & sleep 600'] });
  writePlugin(home.plugins, { name: 'Stubborn', command: 'python3', args: ['ignores-sigterm.py'] });
});
afterEach(() => home.remove());

const start = (environment: Record<string, string> = {}) =>
  startServerProcess(home, { VCP_TRUSTED_MODULES: trusted, ...environment });
const running = (tool: string) => processesWith(`${home.data}/plugins/${tool}`).length;
const refusesConnections = (server: ServerProcess) =>
  until('new connections are refused', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const refused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    });
    socket.destroy();
    return refused;
  });

/**
 * A call on a connection that this side never closes. When the server closes it is measured by the connection, because
 * the end of the process waits for the disk as well.
 */
const callOnKeptConnection = async (server: ServerProcess, tool: string) => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
  const body = JSON.stringify({ tool });
  let answer = '';
  let answeredAt = Infinity;
  socket.on('data', (text: string) => {
    answer += text;
    answeredAt = performance.now();
  });
  socket.write(
    `POST /v1/human/tool HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'close');
  return { answer, closedAfterMs: performance.now() - answeredAt };
};

describe('SIGTERM', () => {
  it('lets a running call finish and answer, takes no new ones, and ends with 0', async () => {
    const server = await start();
    const call = server.call('OneSecond');
    const kept = callOnKeptConnection(server, 'OneSecond');
    await until('both calls run', () => running('OneSecond') > 3);
    server.kill('SIGTERM');
    await refusesConnections(server);
    expect(await call).toMatchObject({ status: 'success', data: { from: 'sh' } });
    const { answer, closedAfterMs } = await kept;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK.*"status":"success"/s);
    expect(closedAfterMs).toBeLessThan(3_000);
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(await processesLeft(home.data)).toEqual([]);
    const again = await start();
    const { records } = (await (await again.request('/v1/records')).json()) as { records: { status: string }[] };
    expect(records.map(({ status }) => status)).toEqual(['success', 'success']);
    again.kill('SIGTERM');
    await again.exit;
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'cancels what takes longer than it may, and still delivers its answer: %s',
    async (signal) => {
      const server = await start({ VCP_SHUTDOWN_MS: '300' });
      const calls = [server.call('Sleeps'), server.call('Stubborn')];
      await until('both run', () => running('Sleeps') > 0 && running('Stubborn') > 0);
      const began = performance.now();
      server.kill(signal);
      for (const result of await Promise.all(calls))
        expect(result).toMatchObject({
          status: 'cancelled',
          error: {
            code: 'TOOL_CANCELLED',
            message: 'the server was stopped before the tool had answered; the tool may have acted',
            retryable: true,
          },
        });
      expect(performance.now() - began).toBeLessThan(300 + 2_000 + 2_000);
      expect(await server.exit).toEqual({ code: 0, signal: null });
      const told = server.stderr().match(/"event":"server\.[a-z]+"/g);
      expect(told).toEqual(['"event":"server.started"', '"event":"server.stopping"', '"event":"server.stopped"']);
      expect(await processesLeft(home.data)).toEqual([]);
    },
  );

  it('ends soon although connections are open that nobody uses, or that never finish their request', async () => {
    const server = await start({ VCP_SHUTDOWN_MS: '300' });
    const port = Number(new URL(server.url).port);
    const sockets = [
      '',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /v1/human/tool HTTP/1.1\r\nHost: x\r\nContent-Le',
    ].map((text) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      return socket.on('error', () => undefined).on('data', () => undefined);
    });
    await sleep(200);
    server.kill('SIGTERM');
    const began = performance.now();
    await Promise.all(sockets.map((socket) => new Promise((closed) => socket.once('close', closed))));
    expect(performance.now() - began).toBeLessThan(300 + 3_000 + 2_000);
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });

  it('ends at once when nothing runs', async () => {
    const server = await start();
    const kept = callOnKeptConnection(server, 'Echo');
    await server.call('Echo');
    server.kill('SIGTERM');
    expect((await kept).closedAfterMs).toBeLessThan(3_000);
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });

  it('ends the server at once when it comes a second time', async () => {
    const server = await start({ VCP_SHUTDOWN_MS: '60000' });
    const call = server.call('Sleeps').catch(() => 'cut off');
    await until('the call runs', () => running('Sleeps') > 0);
    server.kill('SIGTERM');
    await sleep(700);
    expect(server.child.exitCode).toBeNull();
    const began = performance.now();
    server.kill('SIGTERM');
    expect(await server.exit).toEqual({ code: 1, signal: null });
    // Far less than the time that it would have waited for the call.
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(await call).toBe('cut off');
    expect(await processesLeft(home.data)).toEqual([]);
  });
});

describe('kill -9', () => {
  it('loses no result and no record that was answered, at 16 in flight', async () => {
    const server = await start({ VCP_LOG_LEVEL: 'error' });
    const answered: { id: string; recordId: string; n: number }[] = [];
    let stopped = false;
    let next = 0;
    const caller = async () => {
      while (!stopped) {
        const n = (next += 1);
        const result = await server
          .call(n % 40 === 0 ? 'OneSecond' : 'Echo', { n, text: 'x'.repeat(n % 3_000) })
          .catch(() => null);
        if (result === null) return;
        expect(result.status).toBe('success');
        answered.push({ id: result.id, recordId: result.execution.recordId!, n });
      }
    };
    const callers = Array.from({ length: 16 }, caller);
    await until('some hundred calls are answered', () => answered.length > 400, 20_000);
    server.kill('SIGKILL');
    expect((await server.exit).signal).toBe('SIGKILL');
    stopped = true;
    await Promise.all(callers);

    const again = await start({ VCP_LOG_LEVEL: 'error' });
    const lost: object[] = [];
    for (let from = 0; from < answered.length; from += 16) {
      await Promise.all(
        answered.slice(from, from + 16).map(async ({ id, recordId, n }) => {
          const [result, record] = await Promise.all([
            again.request(`/v1/results/${id}`),
            again.request(`/v1/records/${recordId}`),
          ]);
          const { data } = (await result.json()) as { data: { n?: number } | null };
          const { resultId } = (await record.json()) as { resultId: string };
          if (result.status !== 200 || record.status !== 200 || resultId !== id || (data?.n ?? n) !== n)
            lost.push({ id, recordId, n });
        }),
      );
    }
    expect(lost).toEqual([]);
    expect(await again.call('Echo', { n: 0 })).toMatchObject({ status: 'success' });
    again.kill('SIGTERM');
    expect(await again.exit).toEqual({ code: 0, signal: null });
  });
});
