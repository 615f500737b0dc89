import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, openSync, closeSync, fsyncSync, rmSync, writeSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MIB = 1024 * 1024;

/** Milliseconds by the clock, and of the processor. */
export interface Cost {
  wallMs: number;
  cpuMs: number;
}

/** What is asked of the tool, and the least that anybody would have to do with such a file. */
export interface FileCase {
  label: string;
  way: 'base64' | 'inline' | 'localPath';
  bytes: number;
  /** What a prepared run of the baseline takes in this process. */
  baseline: (directory: string) => Promise<Cost>;
  baselineLabel: string;
  target: number;
}

const costOf = async (work: () => void | Promise<void>): Promise<Cost> => {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000 };
};

const decoded = (bytes: number) => {
  const text = randomBytes(bytes).toString('base64');
  return (): Promise<Cost> =>
    costOf(() => {
      const file = Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' });
      createHash('sha256').update(file).digest('hex');
    });
};

/** Reads, hashes and writes in pieces, and waits for the disk as a store that keeps its word does. */
const copied =
  (bytes: number) =>
  async (directory: string): Promise<Cost> => {
    const source = join(directory, `source-${bytes}`);
    writeFileSync(source, randomBytes(bytes));
    const cost = await costOf(async () => {
      const hash = createHash('sha256');
      const target = openSync(join(directory, 'copy'), 'w');
      for await (const chunk of createReadStream(source) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        writeSync(target, chunk);
      }
      fsyncSync(target);
      closeSync(target);
      hash.digest('hex');
    });
    rmSync(source);
    return cost;
  };

const embedded = (way: 'base64' | 'inline', mib: number, label: string): FileCase => {
  const baseline = decoded(mib * MIB);
  return { label: `${mib} MiB as ${label}`, way, bytes: mib * MIB, baseline, baselineLabel: 'decode, hash', target: 3 };
};
const byPath = (mib: number): FileCase => ({
  label: `${mib} MiB by localPath`,
  way: 'localPath',
  bytes: mib * MIB,
  baseline: copied(mib * MIB),
  baselineLabel: 'hash, copy, sync',
  target: 1.5,
});

export const fileCases: readonly FileCase[] = [
  embedded('base64', 1, 'Base64 draft'),
  embedded('base64', 10, 'Base64 draft'),
  embedded('inline', 10, 'data URI in data'),
  byPath(10),
  byPath(64),
];
