// Many clients on `/v1/ws` in a process of their own: `client-process.ts <url> <key> <clients>`. Prints "connected" when
// all are, begins to count with the first line on stdin, and prints what it counted when stdin ends.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

/** What one process of clients has seen. */
export interface ClientReport {
  clients: number;
  closed: number;
  events: number;
  /** Events that are missing between two that came. */
  lost: number;
  /** The least and the most events that a client had. */
  fewest: number;
  most: number;
  /** Milliseconds from the push of an event to its arrival, of all of them. */
  delays: number[];
}

const AT_ONCE = 50;

const [url, key, count] = process.argv.slice(2) as [string, string, string];
let isCounting = false;
let closed = 0;
let lost = 0;
const delays: number[] = [];
const perClient: number[] = [];

const connect = async (index: number): Promise<void> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws?types=plugin_message`, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  perClient[index] = 0;
  let last: number | null = null;
  socket.on('message', (data: Buffer) => {
    const now = performance.timeOrigin + performance.now();
    const event = JSON.parse(data.toString('utf8')) as { data?: { message: { number: number; at: number } } };
    if (event.data === undefined) return;
    const { number, at } = event.data.message;
    // What is lost before or while nobody counts is lost as well.
    if (last !== null) lost += number - last - 1;
    last = number;
    if (!isCounting) return;
    perClient[index]! += 1;
    delays.push(now - at);
  });
  socket.on('close', () => (closed += 1));
  socket.on('error', () => undefined);
  await once(socket, 'open');
};

for (let index = 0; index < Number(count); index += AT_ONCE) {
  const some = Math.min(AT_ONCE, Number(count) - index);
  await Promise.all(Array.from({ length: some }, (_, offset) => connect(index + offset)));
}
console.log('connected');

const input = createInterface({ input: process.stdin });
input.once('line', () => (isCounting = true));
await once(input, 'close');
const report: ClientReport = {
  clients: perClient.length,
  closed,
  events: delays.length,
  lost,
  fewest: perClient.reduce((least, events) => Math.min(least, events), Infinity),
  most: perClient.reduce((most, events) => Math.max(most, events), 0),
  delays,
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
