// A module that is committed has to be what its source makes: the same bytes, on any machine.
import { existsSync, readdirSync } from 'node:fs';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildPlugin } from '../../../adapters/node/plugin-build/build-plugin.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';

const FOLDERS = ['plugins-wasm'];

const plugins = FOLDERS.flatMap((folder) =>
  readdirSync(join(serverRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(serverRoot, folder, entry.name, 'plugin-manifest.json')))
    .map(({ name }) => `${folder}/${name}`),
);

it('finds modules to build', () => {
  expect(plugins.length).toBeGreaterThanOrEqual(4);
});

it.each(plugins)(
  'of %s is up to date ("vcp plugin build" makes it so)',
  async (plugin) => {
    const folder = await mkdtemp(join(tmpdir(), 'vcp-built-'));
    try {
      const { file } = await buildPlugin(join(serverRoot, plugin), { outFile: join(folder, 'plugin.wasm') });
      const [built, committed] = await Promise.all([readFile(file), readFile(join(serverRoot, plugin, 'plugin.wasm'))]);
      expect(built.equals(committed)).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
