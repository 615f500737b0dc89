// Who has no key is answered before anything that they send is read.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess(home, { VCP_LIMIT_REQUEST_BODY_BYTES: '100000' });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

/** The first line of the answer to a request whose end never comes. */
const answerTo = (head: string, chunk: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('latin1');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error('no answer within 5 seconds'));
    }, 5_000);
    let answer = '';
    socket.on('error', () => undefined);
    socket.on('data', (text) => {
      answer += text as unknown as string;
      const line = /^(HTTP\/1\.1 \d+)[^\r]*\r\n/.exec(answer)?.[1];
      if (line === undefined) return;
      clearTimeout(timer);
      socket.destroy();
      resolve(line);
    });
    socket.write(
      `POST /v1/human/tool HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${head}\r\n${chunk}`,
    );
  });

const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;

describe('a request that never ends', () => {
  it.each([
    ['chunked', 'Transfer-Encoding: chunked\r\n', chunk],
    ['chunked, beyond the limit', 'Transfer-Encoding: chunked\r\n', chunk.repeat(20)],
    ['of a stated length', 'Content-Length: 90000\r\n', '{"tool":'],
    ['of a stated length beyond the limit', 'Content-Length: 900000000\r\n', '{"tool":'],
    ['with a wrong key', 'Authorization: Bearer vcp_wrong\r\nTransfer-Encoding: chunked\r\n', chunk],
  ])('is 401 without a key: %s', async (_, head, body) => {
    expect(await answerTo(head, body)).toBe('HTTP/1.1 401');
  });

  it('is judged by its length once there is a key', async () => {
    const authorization = `Authorization: Bearer ${server.key}\r\n`;
    expect(await answerTo(`${authorization}Content-Length: 900000000\r\n`, '{"tool":')).toBe('HTTP/1.1 413');
    expect(await answerTo(`${authorization}Transfer-Encoding: chunked\r\n`, chunk.repeat(20))).toBe('HTTP/1.1 413');
  });
});
