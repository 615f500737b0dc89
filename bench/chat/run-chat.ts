import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { apiKey, defaultOurCommand, ourServer, repositoryRoot } from '../lib/our-server.ts';
import { requireLinux } from '../lib/process-stats.ts';
import { quantile } from '../lib/quantile.ts';
import { startServer, type ServerCommand } from '../lib/server-process.ts';
import { withTemporaryDirectory } from '../lib/temporary-directory.ts';
import { PIECES } from './answer.ts';
import type { ChatOrder, ChatReport } from './load-generator.ts';

const CONNECTIONS = 8;
const MEBIBYTE = 1024 * 1024;
const pluginDirectories = fileURLToPath(new URL('../http-call/plugins/', import.meta.url));
const peers = fileURLToPath(new URL('peers/', import.meta.url));

interface Contender {
  id: string;
  label: string;
  server(dataDirectory: string, upstreamUrl: string): ServerCommand;
  body: object;
}

const peer = (file: string, env: Record<string, string>): ServerCommand => ({
  command: [process.execPath, `${peers}${file}`],
  cwd: repositoryRoot,
  env: (port) => ({ PORT: String(port), NODE_ENV: 'production', ...env }),
});

const question = {
  model: 'bench',
  stream: true,
  messages: [
    { role: 'system', content: 'You are brief.' },
    { role: 'user', content: 'Say some words.' },
  ],
};

const contenders = (ourCommand: string): Contender[] => {
  const ours = (dataDirectory: string, upstreamUrl: string): ServerCommand => {
    const command = ourServer(ourCommand, dataDirectory, pluginDirectories);
    return { ...command, env: (port) => ({ ...command.env(port), VCP_UPSTREAM_URL: upstreamUrl }) };
  };
  return [
    {
      id: 'bare',
      label: 'bare Hono proxy',
      server: (_dataDirectory, upstreamUrl) => peer('bare-proxy.ts', { UPSTREAM_URL: upstreamUrl }),
      body: question,
    },
    { id: 'ours-off', label: 'vcp-runtime, tools off', server: ours, body: { ...question, vcp: { toolUse: 'off' } } },
    { id: 'ours-text', label: 'vcp-runtime, tools offered by text, none called', server: ours, body: question },
  ];
};

/** Measures a streamed answer through ours and through a bare proxy, in turn, and prints the medians of all rounds. */
export async function runChat(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '2' },
      paced: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '5' },
      ours: { type: 'string', default: defaultOurCommand },
      write: { type: 'boolean', default: false },
    },
  });
  requireLinux();
  const all = contenders(values.ours);
  const rounds = Number(values.rounds);
  const reports = new Map<string, ChatReport[]>(all.map(({ id }) => [id, []]));
  const upstream = await startServer(peer('fake-upstream.ts', {}));
  try {
    for (let round = 0; round < rounds; round += 1) {
      // Rotated, so that nobody always runs first or always after the same neighbour.
      for (const contender of all.map((_, place) => all[(place + round) % all.length]!)) {
        const report = await measure(contender, upstream.baseUrl, {
          warmUpSeconds: Number(values['warm-up']),
          seconds: Number(values.seconds),
          paced: Number(values.paced),
        });
        reports.get(contender.id)!.push(report);
        console.error(
          `round ${round + 1}/${rounds}  ${contender.id}  ${report.cpuMsPerRequest.toFixed(3)} ms CPU  first token ${report.firstTokenMs.toFixed(2)} ms`,
        );
      }
    }
  } finally {
    await upstream.stop();
  }
  const run = `${describeMachine()}; ${PIECES} pieces an answer; ${CONNECTIONS} connections; median of ${rounds} rounds of ${values.seconds} s and ${values.paced} requests.`;
  const text = `${resultTable(all, reports)}\n\n${run}`;
  console.log(text);
  if (values.write) writeTable('chat', text);
}

/** A new server process on an empty data directory for each measurement, so that no round inherits the last one's heap. */
function measure(
  contender: Contender,
  upstreamUrl: string,
  load: Pick<ChatOrder, 'warmUpSeconds' | 'seconds' | 'paced'>,
): Promise<ChatReport> {
  return withTemporaryDirectory(async (dataDirectory) => {
    const server = await startServer(contender.server(dataDirectory, upstreamUrl));
    try {
      return await generateLoad({
        ...load,
        baseUrl: server.baseUrl,
        serverPid: server.pid,
        headers: { authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(contender.body),
        connections: CONNECTIONS,
      });
    } catch (error) {
      throw new Error(`${contender.id} failed. Its log ends with:\n${server.logTail()}`, { cause: error });
    } finally {
      await server.stop();
    }
  });
}

function generateLoad(order: ChatOrder): Promise<ChatReport> {
  const { promise, resolve, reject } = Promise.withResolvers<ChatReport>();
  const generator = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));
  generator.on('message', (report) => resolve(report as ChatReport));
  generator.on('error', reject);
  generator.on('exit', (code) => reject(new Error(`The load generator ended with ${code}; its error is above.`)));
  generator.send(order);
  return promise;
}

function resultTable(all: readonly Contender[], reports: ReadonlyMap<string, ChatReport[]>): string {
  const bare = reports.get('bare')!;
  const rows = all.map(({ id, label }) => {
    const own = reports.get(id)!;
    const column = (read: (report: ChatReport) => number, digits: number): string =>
      quantile(own.map(read), 0.5).toFixed(digits);
    const added = (read: (report: ChatReport) => number, digits: number): string =>
      id === 'bare'
        ? '–'
        : quantile(
            own.map((report, round) => read(report) - read(bare[round]!)),
            0.5,
          ).toFixed(digits);
    return [
      label,
      column((report) => report.cpuMsPerRequest, 3),
      added((report) => report.cpuMsPerRequest, 3),
      `${quantile(
        own.map((report, round) => report.cpuMsPerRequest / bare[round]!.cpuMsPerRequest),
        0.5,
      ).toFixed(2)} ×`,
      column((report) => report.firstTokenMs, 2),
      added((report) => report.firstTokenMs, 2),
      column((report) => report.firstTokenP95Ms, 2),
      column((report) => report.requestsPerSecond, 0),
      column((report) => report.residentBytes / MEBIBYTE, 0),
    ];
  });
  return markdownTable(
    [
      'contender',
      'CPU ms/request',
      'added',
      'CPU, bare = 1',
      'first token ms',
      'added',
      'p95',
      'requests/s',
      'RSS MiB',
    ],
    rows,
  );
}
