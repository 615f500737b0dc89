// The folder of a plugin that somebody else made, to do harm to whoever builds it.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PluginBuildError } from '../../../adapters/node/plugin-build/build-report.ts';
import { buildPlugin } from '../../../adapters/node/plugin-build/build-plugin.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vcp-stranger-'));
  await put('victim/.bashrc', 'PS1=mine');
  await put('victim/secret.json', '{"token":"Zq7Wm2Xk9Lp4"}');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
};
const faultOfBuild = async (): Promise<string> => {
  const fault: unknown = await buildPlugin(join(root, 'Plugin')).catch((error: unknown) => error);
  if (!(fault instanceof PluginBuildError)) throw new Error('the build did not say what is wrong', { cause: fault });
  return fault.message;
};
const JAVASCRIPT = 'export default () => ({ data: 1 });';
const ASSEMBLYSCRIPT = `import { Json, serve, success } from 'vcp-plugin';
export function invoke(): i32 { return serve(() => success(Json.object())); }`;

describe.each([
  ['JavaScript', 'src/index.js', JAVASCRIPT],
  ['AssemblyScript', 'assembly/index.ts', ASSEMBLYSCRIPT],
])('the module of a plugin in %s', (_, entry, source) => {
  const name = (file: string) =>
    put('Plugin/plugin-manifest.json', JSON.stringify({ entryPoint: { type: 'wasm', file } }));
  beforeEach(() => put(`Plugin/${entry}`, source));

  it.each(['../victim/.bashrc', '../victim/new.wasm', 'src/../../victim/new.wasm'])(
    'is not written to %s',
    async (file) => {
      await name(file);
      expect(await faultOfBuild()).toBe(
        'plugin-manifest.json: entryPoint.file must be a path inside the plugin directory, without ".."',
      );
      expect(await readFile(join(root, 'victim/.bashrc'), 'utf8')).toBe('PS1=mine');
      expect(existsSync(join(root, 'victim/new.wasm'))).toBe(false);
    },
    60_000,
  );

  it('is not written over what is no module by its name', async () => {
    await put('Plugin/config.env', 'KEY=1');
    await name('config.env');
    expect(await faultOfBuild()).toBe(
      'plugin-manifest.json: entryPoint.file "config.env" must end in ".wasm" to be built',
    );
    expect(await readFile(join(root, 'Plugin/config.env'), 'utf8')).toBe('KEY=1');
  }, 60_000);

  it('is not written through a link to a folder elsewhere', async () => {
    await symlink(join(root, 'victim'), join(root, 'Plugin/out'));
    await name('out/new.wasm');
    expect(await faultOfBuild()).toMatch(/^entryPoint\.file "out\/new\.wasm" leads out of the plugin's folder, to /);
    expect(await readdir(join(root, 'victim'))).toEqual(['.bashrc', 'secret.json']);
  }, 60_000);

  it('takes the place of a link, and leaves what that led to', async () => {
    await symlink(join(root, 'victim/.bashrc'), join(root, 'Plugin/plugin.wasm'));
    await name('plugin.wasm');
    await buildPlugin(join(root, 'Plugin'));
    expect(await readFile(join(root, 'victim/.bashrc'), 'utf8')).toBe('PS1=mine');
    expect((await readFile(join(root, 'Plugin/plugin.wasm'))).subarray(0, 4).toString('latin1')).toBe('\0asm');
  }, 60_000);
});

describe('asconfig.json', () => {
  beforeEach(() => put('Plugin/assembly/index.ts', ASSEMBLYSCRIPT));

  it.each([
    { options: { transform: ['./transform.mjs'] } },
    { options: {}, extends: './other.json' },
    { targets: { release: { transform: ['./transform.mjs'] } } },
    { options: { runtime: './transform.mjs' } },
  ])(
    'is refused with %j, and no code of the folder runs',
    async (config) => {
      const marker = join(root, 'ran');
      const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, ''); export default class {}`;
      await put('Plugin/transform.mjs', code);
      await put('Plugin/other.json', '{"options":{"transform":["./transform.mjs"]}}');
      await put('Plugin/asconfig.json', JSON.stringify(config));
      expect(await faultOfBuild()).toMatch(
        /^asconfig\.json is not accepted: .*It may say \{"options": \{"runtime", "optimizeLevel", "shrinkLevel"\}\} and nothing else$/,
      );
      expect(existsSync(marker)).toBe(false);
    },
    60_000,
  );

  it('says how to compile, by the options that are accepted', async () => {
    await put('Plugin/asconfig.json', '{"options":{"runtime":"minimal","optimizeLevel":0,"shrinkLevel":1}}');
    const { sizeBytes } = await buildPlugin(join(root, 'Plugin'));
    await put('Plugin/asconfig.json', '{}');
    expect((await buildPlugin(join(root, 'Plugin'))).sizeBytes).not.toBe(sizeBytes);
  }, 60_000);
});

describe('a source', () => {
  it.each([
    ['a file beside the folder', `import secret from '../../victim/secret.json';`],
    ['a link to a file elsewhere', `import secret from './linked.json';`],
    ['a package that is a link to a folder elsewhere', `import secret from 'victim/secret.json';`],
    ['files by a pattern', 'const secret = (name) => import(`../../victim/${name}.json`);'],
  ])(
    'of JavaScript does not bundle %s',
    async (_, line) => {
      await put('Plugin/src/index.js', `${line}\nexport default () => ({ data: secret });`);
      await symlink(join(root, 'victim/secret.json'), join(root, 'Plugin/src/linked.json'));
      await mkdir(join(root, 'Plugin/node_modules'));
      await symlink(join(root, 'victim'), join(root, 'Plugin/node_modules/victim'));
      expect(await faultOfBuild()).toMatch(
        /secret\.json" is imported and lies outside of the plugin's folder; copy it there, or install it as a package/,
      );
      expect(existsSync(join(root, 'Plugin/plugin.wasm'))).toBe(false);
    },
    60_000,
  );

  it('of JavaScript bundles packages of the folder and of folders above it', async () => {
    await put('Plugin/node_modules/near/index.js', 'export default "near";');
    await put('node_modules/far/index.js', 'export default "far";');
    await put(
      'Plugin/src/index.js',
      `import near from 'near';\nimport far from 'far';\nexport default () => ({ data: { near, far } });`,
    );
    expect((await buildPlugin(join(root, 'Plugin'))).language).toBe('javascript');
  }, 60_000);

  it('of JavaScript is built without its tsconfig.json', async () => {
    await put('Plugin/src/index.ts', JAVASCRIPT);
    await put(
      'Plugin/tsconfig.json',
      '{"extends":"../victim/secret.json","compilerOptions":{"paths":{"*":["../victim/*"]}}}',
    );
    expect((await buildPlugin(join(root, 'Plugin'))).language).toBe('javascript');
  }, 60_000);

  it('of AssemblyScript does not reach beyond the folder', async () => {
    await put('victim/other.ts', 'export const other = 1;');
    await put('Plugin/assembly/index.ts', `import { other } from '../../victim/other';\nexport { other };`);
    expect(await faultOfBuild()).toMatch(/File '.*victim\/other\.ts' not found/);
  }, 60_000);
});
