// Makes plugin-kit/javascript/engine/engine.wasm, which `vcp plugin build` puts every plugin in JavaScript on: the QuickJS
// engine of the package quickjs-wasi, and around it our bridge in AssemblyScript, in one module that imports nothing but
// what a sandbox has. `--check` only compares. The same versions of the tools give the same bytes everywhere.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_EXPORTS } from '../adapters/node/plugin-build/javascript/engine.ts';
import { root } from './lib/repository.ts';

const KIT = join(root, 'plugin-kit', 'javascript', 'engine');
const ENGINE = join(KIT, 'engine.wasm');

/** What the engine was compiled with; a sandbox takes all of it. */
const FEATURES = [
  'bulk-memory',
  'bulk-memory-opt',
  'call-indirect-overlong',
  'extended-const',
  'multivalue',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
].map((feature) => `--enable-${feature}`);

const scratch = await mkdtemp(join(tmpdir(), 'vcp-engine-'));
try {
  const built = await buildEngine();
  if (!process.argv.includes('--check')) {
    await writeFile(ENGINE, built);
    console.log(`${ENGINE}: ${built.length} bytes`);
  } else if (built.equals(await readFile(ENGINE))) {
    console.log('engine.wasm is what its sources give');
  } else {
    console.error('engine.wasm is not what its sources give; run scripts/build-javascript-engine.ts');
    process.exitCode = 1;
  }
} finally {
  await rm(scratch, { recursive: true });
}

async function buildEngine(): Promise<Buffer> {
  const file = (name: string) => join(scratch, name);
  const quickjs = fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'));
  for (const part of ['bridge', 'wasi']) compilePart(part, file(`${part}.wasm`));
  // First the parts find the engine, then the engine finds the parts.
  const parts = [quickjs, 'env', file('bridge.wasm'), 'bridge', file('wasi.wasm'), 'wasi_snapshot_preview1'];
  binaryen('wasm-merge', [...parts, '-o', file('parts.wasm'), '--rename-export-conflicts', ...FEATURES]);
  binaryen('wasm-merge', [file('parts.wasm'), 'env', '-o', file('whole.wasm'), ...FEATURES]);
  // Everything that the build does not call, and nothing calls inside, goes.
  const roots = ENGINE_EXPORTS.map((name) => ({ name, root: true, export: name }));
  await writeFile(file('roots.json'), JSON.stringify(roots));
  const graph = ['--graph-file', file('roots.json')];
  binaryen('wasm-metadce', [file('whole.wasm'), ...graph, '-o', file('engine.wasm'), '-q', ...FEATURES]);
  return readFile(file('engine.wasm'));
}

function compilePart(part: string, outFile: string): void {
  run('assemblyscript/bin/asc.js', [
    `${part}.ts`,
    '--baseDir',
    KIT,
    '--outFile',
    outFile,
    '--importMemory',
    '--runtime',
    'stub',
    '--use',
    'abort=',
    '--noAssert',
    '--optimizeLevel',
    '3',
    '--shrinkLevel',
    '1',
  ]);
}

function binaryen(tool: string, args: readonly string[]): void {
  run(`binaryen/bin/${tool}`, args);
}

function run(program: string, args: readonly string[]): void {
  const command = [join(root, 'node_modules', program), ...args];
  const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed:\n${stdout}${stderr}`);
}
