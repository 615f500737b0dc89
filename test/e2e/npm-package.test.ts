// The package for npm, as it lies below node_modules, where Node runs no TypeScript. (That npm installs it from an empty
// folder needs a registry, which tests have none of.)
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandFile } from '../../scripts/lib/repository.ts';
import { repositoryRoot } from '../support/manifest.ts';

/** Packages that the kit for TypeScript takes along. */
const BUNDLED = new Set(['whatwg-url-minimum']);

let folder: string;
let installed: string;

const run = (args: readonly string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', timeout: 60_000 });
  return { status, stdout, stderr };
};
const vcp = (...args: string[]) => run([join(installed, 'scripts', 'launch.mjs'), ...args], join(folder, 'author'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vcp-package-'));
  const packed = run([join(repositoryRoot, 'scripts', 'build-package.ts'), folder], folder);
  expect(packed).toMatchObject({ status: 0, stdout: expect.stringMatching(/vcp-runtime-\d+\.\d+\.\d+\.tgz\n$/) });
  const modules = join(folder, 'author', 'node_modules');
  installed = join(modules, 'vcp-runtime');
  await mkdir(modules, { recursive: true });
  await rename(join(folder, 'package'), installed);
  const packages = join(repositoryRoot, 'node_modules');
  for (const name of await readdir(packages)) {
    // What goes into a plugin's module has to lie where npm puts it; a link leads out of the author's folder.
    if (BUNDLED.has(name)) await cp(join(packages, name), join(modules, name), { recursive: true });
    else if (!name.startsWith('.')) await symlink(join(packages, name), join(modules, name), 'junction');
  }
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('holds no TypeScript that Node would have to run, no tests and no configuration', async () => {
  const files = (await readdir(installed, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  expect(files.filter((file) => /^(?:src|adapters)\/.*\.ts$/.test(file))).toEqual([]);
  expect(files.filter((file) => /(?:^|\/)(?:tests?|node_modules|config\.env|data)(?:\/|$)/.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['adapters/node/cli.js', 'plugin-kit/assemblyscript/vcp-plugin.ts']));
});

it.each(['assemblyscript', 'typescript', 'node'])(
  'makes, builds and checks a plugin in %s',
  (language) => {
    expect(vcp('plugin', 'new', `Own-${language}`, '--language', language)).toMatchObject({ status: 0 });
    if (language !== 'node') {
      expect(vcp('plugin', 'build', `Own-${language}`)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/plugin\.wasm: \d+ bytes in/),
      });
    }
    const { stdout, status } = vcp('plugin', 'check', `Own-${language}`);
    expect(stdout.trim().split('\n')).toEqual([
      `ok    Own-${language} 0.1.0 is served`,
      'ok    counts words of any script',
      'ok    needs a text',
      'ok    says that there is no word',
    ]);
    expect(status).toBe(0);
  },
  120_000,
);

it('says what is wrong on stderr, and with its exit code', () => {
  expect(vcp('plugin', 'build', 'nowhere')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/nothing to build/),
  });
  expect(vcp('plugin', 'new', 'Other', '--language', 'cobol')).toMatchObject({ status: 2 });
});

describe('the client of the package', () => {
  const program = `import { VCPClient, VcpUnreachable } from 'vcp-runtime/client';
const client = new VCPClient({ endpoint: 'http://127.0.0.1:1', apiKey: 'k', model: 'm' });
const fault = await client.sendRequest({ messages: [] }).catch((error) => error);
console.log(client instanceof VCPClient, fault instanceof VcpUnreachable);
`;

  it('runs on Node as it is', async () => {
    await writeFile(join(folder, 'author', 'client.mjs'), program);
    expect(run(['client.mjs'], join(folder, 'author'))).toEqual({ status: 0, stdout: 'true true\n', stderr: '' });
  });

  it('is bundled for a browser without Node, the server and the schemas', async () => {
    const { metafile } = await build({
      stdin: { contents: program, resolveDir: join(folder, 'author') },
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      absWorkingDir: folder,
      outfile: 'client.js',
    });
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>');
    const ours = inputs.filter((path) => path.includes('/vcp-runtime/'));
    expect(ours.filter((path) => !/\/src\/(?:client|lib|protocol)\//.test(path))).toEqual([]);
    expect(inputs.filter((path) => !ours.includes(path) && !path.includes('/eventsource-parser/'))).toEqual([]);
    expect(Object.values(metafile.outputs)[0]?.bytes).toBeLessThan(40_000);
  });

  it.each(['NodeNext', 'Bundler'])('has types, for %s', async (moduleResolution) => {
    await writeFile(
      join(folder, 'author', 'client.ts'),
      `import { VCPClient, type ChatAnswer, type TaskDescription } from 'vcp-runtime/client';
const client: VCPClient = new VCPClient({ endpoint: 'http://127.0.0.1:1', apiKey: 'k' });
export const answer: ChatAnswer = await client.sendRequest({ messages: [], tools: ['A'], temperature: 1 });
export const task: TaskDescription = await client.getTask('task_x');
export const status: 'success' | 'partial' | 'accepted' | 'error' | 'cancelled' | 'timeout' = (await client.callTool('A', {})).status;
for await (const event of client.streamRequest({ messages: [] })) if (event.type === 'text') event.text.trim();
// @ts-expect-error tools are names
await client.sendRequest({ messages: [], tools: [{}] });
`,
    );
    const options = {
      strict: true,
      noEmit: true,
      target: 'ESNext',
      module: moduleResolution === 'Bundler' ? 'ESNext' : 'NodeNext',
      moduleResolution,
      lib: ['ESNext', 'DOM', 'DOM.AsyncIterable'],
      types: [],
    };
    const config = { compilerOptions: options, files: ['client.ts'] };
    await writeFile(join(folder, 'author', 'tsconfig.json'), JSON.stringify(config));
    await writeFile(join(folder, 'author', 'package.json'), '{"type":"module"}');
    const checked = run([commandFile('typescript-7', 'tsc'), '-p', '.'], join(folder, 'author'));
    expect(checked).toMatchObject({ status: 0, stdout: '' });
  });
});
