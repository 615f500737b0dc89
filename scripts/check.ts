// `npm run check`: everything that can be said about the sources without running them. `-- --fix` formats and applies
// the linter's safe fixes first.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { commandFile, root } from './lib/repository.ts';

const fix = process.argv.includes('--fix');

const typescript = commandFile('typescript-7', 'tsc');
const oxlint = [commandFile('oxlint', 'oxlint'), '--type-aware', '--deny-warnings'];
const cruised = ['src', 'adapters', 'plugin-kit', 'scripts', 'test', 'bench', 'examples'];

const steps: { name: string; command: string[] }[] = [
  { name: 'format', command: [commandFile('oxfmt', 'oxfmt'), fix ? '--write' : '--check', '.'] },
  { name: 'lint', command: fix ? [...oxlint, '--fix'] : oxlint },
  // The core alone, without Node's types: an import of `node:` or a use of Buffer fails here.
  { name: 'types of the core', command: [typescript, '-p', 'tsconfig.json'] },
  { name: 'types of all', command: [typescript, '-p', 'tsconfig.node.json'] },
  // Sandboxed plugins in TypeScript know neither Node nor the web.
  { name: 'types of sandboxed plugins', command: [typescript, '-p', 'plugins-wasm/tsconfig.json'] },
  {
    name: 'import directions',
    command: [commandFile('dependency-cruiser', 'depcruise'), '--config', '.dependency-cruiser.cjs', ...cruised],
  },
  { name: 'unused code', command: [commandFile('knip', 'knip'), '--no-progress', '--no-config-hints'] },
  { name: 'generated files', command: ['scripts/gen.ts', '--check'] },
  { name: 'worker bundle', command: ['scripts/check-worker-bundle.ts'] },
  { name: 'hygiene', command: ['scripts/check-hygiene.ts'] },
];

const failed: string[] = [];
for (const { name, command } of steps) {
  const start = performance.now();
  const run = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const passed = run.status === 0;
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (passed) continue;
  failed.push(name);
  const output = [run.stdout, run.stderr, run.error?.message ?? ''].join('\n').trim();
  console.log(output.replaceAll(/^/gm, '    '));
}
console.log(
  failed.length === 0
    ? `\nAll ${steps.length} checks passed.`
    : `\n${failed.length} of ${steps.length} checks failed: ${failed.join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
