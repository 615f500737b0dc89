// Megabytes a second of the parser of the text protocol: `npm run bench -- instruction [--megabytes 4] [--rounds 7] [--write]`.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { createInstructionParser } from '../../src/instruction/create-instruction-parser.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { quantile } from '../lib/quantile.ts';
import { overviewParser } from './overview-parser.ts';
import { TEXTS, type BenchText } from './texts.ts';

/** Characters of one chunk; a model's stream has chunks of a few, a file is read in large ones. */
const CHUNKS = [4, 4 * 1024, 64 * 1024];

/** Of a text on which the overview's expressions are quadratic, more would take minutes. */
const OVERVIEW_BYTES = 400_000;

export async function runInstruction(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      megabytes: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string' },
      write: { type: 'boolean' },
    },
  });
  const bytes = Number(values.megabytes ?? 4) * 1e6;
  const rounds = Number(values.rounds ?? 7);
  const chosen = TEXTS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  const rows = chosen.map((of) => {
    const text = textOf(of, bytes);
    const megabytes = Buffer.byteLength(text) / 1e6;
    const rate = (run: () => unknown, count: number) => megabytes / (time(count, run) / 1_000);
    const [streamed = 0, ...chunked] = CHUNKS.map((size) => {
      const chunks = chunksOf(text, size);
      return rate(() => parse(chunks), size < 100 ? Math.min(rounds, 3) : rounds);
    });
    const short = textOf(of, Math.min(bytes, OVERVIEW_BYTES));
    const overview = Buffer.byteLength(short) / 1e6 / (time(1, () => overviewParser(short)) / 1_000);
    return [of.name, ...chunked, streamed, overview] as const;
  });
  const table = markdownTable(
    ['text', '4 KiB chunks, MB/s', '64 KiB chunks', '4 characters', "the overview's expressions, once"],
    rows.map(([name, ...rates]) => [name, ...rates.map((rate) => rate.toFixed(rate < 10 ? 1 : 0))]),
  );
  const text = `${table}\n\nMedian of ${rounds} rounds, CPU time, ${bytes / 1e6} MB of UTF-8 each. ${describeMachine()}.`;
  console.log(text);
  if (values.write) writeTable('instruction', text);
}

const textOf = ({ piece, before = '' }: BenchText, bytes: number): string => {
  const count = Math.ceil(bytes / Buffer.byteLength(piece));
  // Through bytes and back, as a text from the network comes: no rope of pieces.
  return Buffer.from(before + piece.repeat(count)).toString();
};

/** Chunks that are texts of their own, as they come from a decoder. */
const chunksOf = (text: string, size: number): string[] => {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += size) chunks.push(Buffer.from(text.slice(at, at + size)).toString());
  return chunks;
};

const parse = (chunks: readonly string[]): number => {
  const parser = createInstructionParser({ limits: DEFAULT_LIMITS });
  let events = 0;
  for (const chunk of chunks) events += parser.push(chunk).length;
  return events + parser.end().length;
};

/** Milliseconds of CPU of one run: other work on the machine must not count. The first runs are not measured. */
const time = (rounds: number, run: () => unknown): number => {
  for (let round = 0; round < Math.min(rounds, 3); round += 1) run();
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const started = performance.now();
    run();
    const { user, system } = process.cpuUsage(before);
    took.push(Math.min(performance.now() - started, (user + system) / 1_000));
  }
  return quantile(took, 0.5);
};
