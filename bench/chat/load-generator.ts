// A process of its own, so that making the load and checking the answers is not counted as the server's work.
import { Agent, request } from 'node:http';
import { closedLoop } from '../lib/closed-loop.ts';
import { exactCpuMilliseconds, residentBytes } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { PIECES, pieceOf } from './answer.ts';

export interface ChatOrder {
  baseUrl: string;
  serverPid: number;
  headers: Record<string, string>;
  body: string;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  /** Requests one after another, of which the time to the first token is taken. */
  paced: number;
}

export interface ChatReport {
  cpuMsPerRequest: number;
  requestsPerSecond: number;
  firstTokenMs: number;
  firstTokenP95Ms: number;
  wholeMs: number;
  residentBytes: number;
}

const expected = Array.from({ length: PIECES }, (_, index) => pieceOf(index)).join('');

async function runLoad(order: ChatOrder): Promise<ChatReport> {
  const { hostname, port } = new URL(order.baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });

  function ask(): Promise<{ firstMs: number; wholeMs: number }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ firstMs: number; wholeMs: number }>();
    const begun = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(order.body) };
    const outgoing = request(
      {
        agent,
        hostname,
        port,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { ...headers, ...order.headers },
      },
      (incoming) => {
        let text = '';
        let firstMs = NaN;
        incoming.setEncoding('utf8');
        incoming.on('data', (piece: string) => {
          text += piece;
          if (Number.isNaN(firstMs) && text.includes(pieceOf(0))) firstMs = performance.now() - begun;
        });
        incoming.on('end', () => {
          const wholeMs = performance.now() - begun;
          const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('');
          const ends = text.split('data: [DONE]').length - 1;
          if (incoming.statusCode !== 200 || said !== expected || ends !== 1)
            reject(new Error(`Wrong answer: ${incoming.statusCode} ${text.slice(0, 2_000)}`));
          else resolve({ firstMs, wholeMs });
        });
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(order.body);
    return promise;
  }

  async function loadFor(seconds: number): Promise<number> {
    const end = performance.now() + seconds * 1_000;
    let done = 0;
    await closedLoop(order.connections, () =>
      performance.now() < end ? ask().then(() => void (done += 1)) : undefined,
    );
    return done;
  }

  await loadFor(order.warmUpSeconds);
  const times: { firstMs: number; wholeMs: number }[] = [];
  for (let count = 0; count < order.paced; count += 1) times.push(await ask());

  const cpuBefore = exactCpuMilliseconds(order.serverPid);
  const begun = performance.now();
  const requests = await loadFor(order.seconds);
  const elapsedMs = performance.now() - begun;
  const cpuMs = exactCpuMilliseconds(order.serverPid) - cpuBefore;
  agent.destroy();
  const firsts = times.map(({ firstMs }) => firstMs);
  return {
    cpuMsPerRequest: cpuMs / requests,
    requestsPerSecond: (requests * 1_000) / elapsedMs,
    firstTokenMs: quantile(firsts, 0.5),
    firstTokenP95Ms: quantile(firsts, 0.95),
    wholeMs: quantile(
      times.map(({ wholeMs }) => wholeMs),
      0.5,
    ),
    residentBytes: residentBytes(order.serverPid),
  };
}

process.once('message', (order) => {
  void runLoad(order as ChatOrder).then((report) => process.send?.(report, () => process.disconnect?.()));
});
