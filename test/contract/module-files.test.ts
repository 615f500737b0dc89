// What the trust in a module inside the server covers.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moduleRefusal } from '../../adapters/node/module-loader.ts';
import { readModuleFiles } from '../../adapters/node/plugins/module-files.ts';
import { PluginManifest } from '../../src/protocol/manifest.ts';
import { manifestOf, repositoryRoot } from '../support/manifest.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-modules-')));
  folder = join(root, 'plugins', 'NAME');
  write('main.mjs', 'main');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const digest = (maxFiles = 100) => readModuleFiles(folder, join(folder, 'main.mjs'), maxFiles)?.digest;

describe('the digest of a module', () => {
  it('of one file is that of the file, whatever else lies beside it that is no code', () => {
    for (const name of ['README.md', 'plugin-manifest.json', 'contract-cases.json', 'data/table.csv']) write(name, 'x');
    symlinkSync('main.mjs', join(folder, 'link.mjs'));
    // printf main | sha256sum
    expect(digest()).toBe('0d6e4079e36703ebd37c00722f5891d28b0e2811dc114b129215123adcce3605');
  });

  it('changes with every file that could be imported, and with its name', () => {
    const seen = [digest()];
    for (const name of [
      'a.cjs',
      'lib/b.js',
      'node_modules/c/package.json',
      '.d/e.ts',
      'f.wasm',
      'lib/contract-cases.json',
    ]) {
      write(name, 'x');
      seen.push(digest());
    }
    write('lib/b.js', 'y');
    seen.push(digest());
    rmSync(join(folder, 'a.cjs'));
    write('A.cjs', 'x');
    seen.push(digest());
    expect(new Set(seen).size).toBe(9);
  });

  it('is what the command of the operations guide prints', () => {
    for (const name of [
      'b.mjs',
      'B.mjs',
      'lib/ü.cjs',
      'lib-x.ts',
      'plugin-manifest.json',
      'lib/plugin-manifest.json',
      'no.md',
    ])
      write(name, name);
    const guide = readFileSync(join(repositoryRoot, 'docs/operations.md'), 'utf8');
    const command = /```sh\n(cd plugins\/NAME [^`]+)```/.exec(guide)?.[1] ?? 'false';
    expect(execFileSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' }).split(' ')[0]).toBe(digest());
  });

  it('is none where there are too many files', () => {
    write('b.mjs', 'x');
    expect([typeof digest(2), digest(1)]).toEqual(['string', undefined]);
  });
});

it('a module that is a link out of its folder is refused', () => {
  writeFileSync(join(root, 'elsewhere.mjs'), 'x');
  symlinkSync(join(root, 'elsewhere.mjs'), join(folder, 'link.mjs'));
  const manifest = PluginManifest.parse(manifestOf({ name: 'Linked', module: 'link.mjs' }));
  const trust = { digests: new Set<string>(), bundledDirectories: [], maxFiles: 10 };
  expect(moduleRefusal({ manifest, directory: folder }, trust)).toContain('is a link out of its folder');
});
