import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const wasmOpt = join(dirname(fileURLToPath(import.meta.resolve('binaryen'))), 'bin', 'wasm-opt');

/** What the sandbox supports; the fuzzer stays inside it. */
const FEATURES = [
  'sign-ext',
  'nontrapping-float-to-int',
  'multivalue',
  'bulk-memory',
  'bulk-memory-opt',
  'reference-types',
  'simd',
  'mutable-globals',
  'extended-const',
];
/** What brings instructions that work on a length. */
const BULK_FEATURES = new Set(['bulk-memory', 'bulk-memory-opt', 'reference-types']);

/** Numbers from 0 to below 2 ** 32; the same for the same seed. */
export const createNumbers = (seed: number): (() => number) => {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
};

/** A valid module that binaryen's fuzzer makes of random bytes, the same for the same seed. */
export const randomModule = async (
  seed: number,
  size = 8_000,
  { bulk = true }: { bulk?: boolean } = {},
): Promise<Uint8Array<ArrayBuffer>> => {
  const directory = await mkdtemp(join(tmpdir(), 'vcp-fuzz-'));
  try {
    const [input, output] = [join(directory, 'in'), join(directory, 'out.wasm')];
    const next = createNumbers(seed * 2_654_435_761);
    await writeFile(
      input,
      Uint8Array.from({ length: size }, () => next() >>> 24),
    );
    const features = FEATURES.filter((feature) => bulk || !BULK_FEATURES.has(feature));
    const enabled = features.map((feature) => `--enable-${feature}`);
    const args = [wasmOpt, input, '--translate-to-fuzz', '--mvp-features', ...enabled, '-o', output];
    await run(process.execPath, args);
    return new Uint8Array(await readFile(output));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
