// Makes the package that authors of plugins and operators install with npm: `vcp-runtime-<version>.tgz` in `dist`, or
// in the folder that is named. Node runs no TypeScript below node_modules, so that the sources go in without their
// types, and nothing else of them changed. The client, which programs of others import, has its types beside it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { commandFile, listFiles, root } from './lib/repository.ts';

const DIST = resolve(process.argv[2] ?? join(root, 'dist'));
const PACKAGE = join(DIST, 'package');

/** Run by Node, so made JavaScript. The build shares a file with what it builds, which stays as it is beside that. */
const PROGRAM = ['src', 'adapters', 'plugin-kit/javascript/runtime'];
/** Taken as they are: files that the program reads, and sources that `vcp plugin build` compiles. */
const AS_THEY_ARE = [
  'scripts/launch.mjs',
  'api-page',
  'docs',
  'schemas',
  'plugin-kit',
  'plugins-stdio',
  'plugins-direct',
  'plugins-wasm',
  'LICENSE',
  'README.md',
  'README.zh-CN.md',
  'CHANGELOG.md',
];

/** Paths from one file to another: the arguments of imports and of `new URL(…, import.meta.url)`. */
const RELATIVE_IMPORT = /(\bfrom '|\bimport\('|\bimport '|\bnew URL\(')(\.{1,2}\/[^']+|[^'/:]+)\.ts'/g;

/** The same in declarations, which have other quotes. */
const TYPE_IMPORT = /(\bfrom ['"]|\bimport\(['"]|\bimport ['"])(\.{1,2}\/[^'"]+)\.ts(['"])/g;

rmSync(PACKAGE, { recursive: true, force: true });
for (const path of AS_THEY_ARE) cpSync(join(root, path), join(PACKAGE, path), { recursive: true, filter: isShipped });
for (const file of PROGRAM.flatMap((folder) => listFiles(folder, /\.ts$/))) {
  const code = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'));
  write(file.replace(/\.ts$/, '.js'), code.replaceAll(RELATIVE_IMPORT, "$1$2.js'"));
}
writeClientTypes();
const { private: _private, scripts: _scripts, devDependencies: _devDependencies, ...shipped } = packageJson;
const exports = {
  ...packageJson.exports,
  './client': { types: './types/client/index.d.ts', default: './src/client/index.js' },
};
write('package.json', `${JSON.stringify({ ...shipped, exports }, null, 2)}\n`);

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const packed = spawnSync(npm, ['pack', '--pack-destination', DIST, '--loglevel=error'], {
  cwd: PACKAGE,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.error?.message ?? packed.stderr}`);
console.log(join(DIST, packed.stdout.trim()));

/** What TypeScript knows of `vcp-runtime/client`, in a folder of its own: the sources have lost their types. */
function writeClientTypes(): void {
  const config = join(DIST, 'client-types.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: join(PACKAGE, 'types'),
    rootDir: join(root, 'src'),
  };
  const files = [join(root, 'src/client/index.ts')];
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }));
  const built = spawnSync(process.execPath, [commandFile('typescript-7', 'tsc'), '-p', config], { encoding: 'utf8' });
  rmSync(config);
  if (built.status !== 0) throw new Error(`the client's types cannot be written: ${built.stdout}${built.stderr}`);
  const types = join(PACKAGE, 'types');
  for (const file of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(types, file), 'utf8');
    writeFileSync(join(types, file), text.replaceAll(TYPE_IMPORT, '$1$2.js$3'));
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(PACKAGE, file)), { recursive: true });
  writeFileSync(join(PACKAGE, file), text);
}

/** Tests and their recordings are the repository's, and what is configured here nobody else's. */
function isShipped(path: string): boolean {
  return !/[/\\](?:tests|__pycache__|node_modules|config\.env)(?:[/\\]|$)/.test(path.slice(root.length));
}
