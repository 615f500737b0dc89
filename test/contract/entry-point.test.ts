// What keeps a plugin's command from being started is known at start.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../adapters/fs/make-directory.ts';
import { entryPointFault } from '../../adapters/node/entry-point-fault.ts';
import { readPluginDirectories } from '../../adapters/node/read-plugin-directories.ts';
import { PluginManifest } from '../../src/protocol/manifest.ts';
import { manifestOf } from '../support/manifest.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'vcp-test-entry-'));
  mkdirSync(join(base, 'Plugin'));
  writeFileSync(join(base, 'Plugin', 'there.mjs'), '');
  writeFileSync(join(base, 'Plugin', 'plugin-manifest.json'), '{}');
});
afterAll(() => rm(base, { recursive: true, force: true }));

const faultOf = (command: string, ...args: string[]) =>
  entryPointFault({
    manifest: PluginManifest.parse(manifestOf({ name: 'Plugin', command, args })),
    directory: join(base, 'Plugin'),
  });

describe('the command of a plugin', () => {
  it.each([
    ['node', 'there.mjs'],
    ['node', '--no-warnings', 'there.mjs'],
    ['sh', '-c', 'exit 0'],
    ['./there.mjs'],
    ['python3', '-m', 'json'],
  ])('can be started: %s %s', (command, ...args) => {
    expect(faultOf(command, ...args)).toBeNull();
  });

  it.each([
    ['its program "nope.mjs" is not in the plugin\'s folder', 'node', 'nope.mjs'],
    ['its command "no-such-command-here" was not found', 'no-such-command-here'],
    ['its command "./nope" was not found', './nope'],
    ['its command "python3 main.py" was not found; arguments belong into entryPoint.args', 'python3 main.py'],
  ])('%s', (reason, command, ...args) => {
    expect(faultOf(command, ...args)).toBe(reason);
  });
});

describe('a plugin directory', () => {
  it('that is a plugin itself is told apart from one that holds plugins', async () => {
    const { manifests, unreadable } = await readPluginDirectories([join(base, 'Plugin')], 1_000);
    expect(manifests).toEqual([]);
    expect(unreadable.map(({ reason }) => reason)).toEqual([
      `this is a plugin itself; give the directory that holds it, ${base}`,
    ]);
  });

  it('that is several with the wrong separator says which one is right', async () => {
    const { unreadable } = await readPluginDirectories([`${base}:${base}`], 1_000);
    expect(unreadable[0]?.reason).toContain('directories are separated by commas');
  });
});

describe('making a directory', () => {
  it('makes those above it too, each for the owner alone, and is content when it is there', async () => {
    const path = join(base, 'a', 'b', 'c');
    await makeDirectory(path, 0o700);
    await makeDirectory(path, 0o700);
    expect((await stat(join(base, 'a'))).mode & 0o777).toBe(0o700);
  });

  it('fails where there is a file, and where the system makes none', async () => {
    await expect(makeDirectory(join(base, 'Plugin', 'there.mjs', 'x'), 0o700)).rejects.toThrow(/ENOTDIR/);
    await expect(makeDirectory('/proc/vcp-test', 0o700)).rejects.toThrow();
  });
});
