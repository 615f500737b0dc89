// `vcp` with a server in trouble, and with arguments that come slowly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/manifest.ts';
import {
  cleanEnvironment,
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
} from '../support/server-process.ts';

const home = temporaryHome();
afterAll(() => home.remove());

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});
const serve = async (listener: RequestListener): Promise<string> => {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('a server that cannot answer ends with 3, and says why on stderr', () => {
  const problem = (status: number) =>
    JSON.stringify({ type: 'urn:vcp:problem:x', title: 'T', status, detail: `out of order: ${status}`, code: 'X' });

  it.each<[string, RequestListener, string]>([
    ['a 500', (_, response) => response.writeHead(500).end(problem(500)), 'out of order: 500'],
    ['a 429', (_, response) => response.writeHead(429).end(problem(429)), 'out of order: 429'],
    ['a 503', (_, response) => response.writeHead(503).end(problem(503)), 'out of order: 503'],
    ['a 502 of a proxy', (_, response) => response.writeHead(502).end('<html>Bad gateway</html>'), '502'],
    ['a connection that breaks off', (request) => request.socket.destroy(), ''],
  ])('%s', async (_, listener, words) => {
    const url = await serve(listener);
    for (const args of [['call', 'Echo'], ['tools'], ['results', 'tr_01ARZ3NDEKTSV4RRFFQ69G5FAV']]) {
      const { code, stdout, stderr } = await vcp(home, [...args, '--url', url, '--key', 'some-key'], {});
      expect({ args, code, stdout }).toEqual({ args, code: 3, stdout: '' });
      expect(stderr).toContain(words);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });

  it('but a 4xx is a matter of usage', async () => {
    const url = await serve((_, response) => response.writeHead(403).end(problem(403)));
    const { code, stderr } = await vcp(home, ['call', 'Echo', '--url', url, '--key', 'some-key']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'vcp: out of order: 403\n' });
  });
});

describe('vcp call --json -', () => {
  it('waits for an input that comes in pieces, with characters cut in two', async () => {
    const { sha256 } = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
    const running = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256! });
    const child = spawn(
      process.execPath,
      [join(repositoryRoot, 'adapters', 'node', 'cli.ts'), 'call', 'Echo', '--json', '-'],
      { cwd: home.root, env: cleanEnvironment(home, { VCP_URL: running.url }), stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const printed = Promise.all([readText(child.stdout), readText(child.stderr), once(child, 'exit')]);
    const bytes = Buffer.from(JSON.stringify({ text: '月球上的猫😀', long: 'x'.repeat(300_000) }));
    for (const [from, to] of [
      [0, 10],
      [10, 11],
      [11, 12],
      [12, 25],
      [25, 200_000],
      [200_000, bytes.length],
    ]) {
      child.stdin.write(bytes.subarray(from, to));
      await sleep(150);
    }
    child.stdin.end();
    const [stdout, stderr, [code]] = await printed;
    expect({ code: code as number, stderr }).toEqual({ code: 0, stderr: '' });
    const { data } = JSON.parse(stdout) as { data: { text: string; long: string } };
    expect([data.text, data.long.length]).toEqual(['月球上的猫😀', 300_000]);
    running.kill('SIGTERM');
    await running.exit;
  });
});
