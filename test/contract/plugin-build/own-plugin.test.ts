// An author's way from nothing to a plugin that is served: made, built and judged, by a real server.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildPlugin } from '../../../adapters/node/plugin-build/build-plugin.ts';
import { newPlugin, PLUGIN_LANGUAGES } from '../../../adapters/node/plugin-build/new-plugin.ts';
import { checkPlugin } from '../../../adapters/node/plugin-check/check-plugin.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vcp-own-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const source = () => join(folder, 'Own', 'assembly', 'index.ts');
const rewrite = async (file: string, change: (text: string) => string) =>
  writeFile(file, change(await readFile(file, 'utf8')));

describe.each(PLUGIN_LANGUAGES)('a new plugin in %s', (language) => {
  it('is served as it is made, and keeps its cases', async () => {
    const { directory, files } = await newPlugin('Own', language, folder);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'contract-cases.json', 'plugin-manifest.json']));
    if (language === 'assemblyscript' || language === 'typescript') await buildPlugin(directory);
    expect(await checkPlugin(directory)).toEqual({
      name: 'Own',
      version: '0.1.0',
      refusal: null,
      notRun: null,
      warnings: [],
      cases: [
        { name: 'counts words of any script', faults: [] },
        { name: 'needs a text', faults: [] },
        { name: 'says that there is no word', faults: [] },
      ],
    });
  }, 60_000);
});

describe('a name', () => {
  it.each(['', '9', 'a/b', '../up', 'a b'])('%j is none', async (name) => {
    await expect(newPlugin(name, 'node', folder)).rejects.toThrow(/cannot be the name of a plugin/);
  });

  it('that is taken is left alone', async () => {
    await newPlugin('Own', 'node', folder);
    await expect(newPlugin('Own', 'python', folder)).rejects.toThrow(/is there already/);
  });
});

describe('a build', () => {
  it('gives the same bytes for the same source, wherever it lies', async () => {
    const first = await buildPlugin((await newPlugin('One', 'assemblyscript', folder)).directory);
    const second = await buildPlugin((await newPlugin('Two', 'assemblyscript', join(folder, 'deeper'))).directory);
    expect(second.sha256).toBe(first.sha256);
    expect(first.file).toBe(join(folder, 'One', 'plugin.wasm'));
    expect(first.sizeBytes).toBeLessThan(25_000);
  }, 60_000);

  it('says where the source is wrong', async () => {
    const { directory } = await newPlugin('Own', 'assemblyscript', folder);
    await rewrite(source(), (text) => text.replace('let words = 0', 'let words: i32 = "none"'));
    await expect(buildPlugin(directory)).rejects.toThrow(/assembly\/index\.ts\(6,22\)/);
  }, 60_000);

  it('refuses a module that cannot be called', async () => {
    const { directory } = await newPlugin('Own', 'assemblyscript', folder);
    await rewrite(source(), (text) => text.replace('export function invoke', 'export function run'));
    await expect(buildPlugin(directory)).rejects.toThrow(/does not export the function "invoke"/);
  }, 60_000);

  it.each([
    ['console.log("x")', /use log\(\) of vcp-plugin/],
    ['trace("x")', /use log\(\) of vcp-plugin/],
    ['words += <i32>Date.now()', /the time of the call is call\.now/],
  ])(
    'refuses %s, which no host has',
    async (statement, advice) => {
      const { directory } = await newPlugin('Own', 'assemblyscript', folder);
      await rewrite(source(), (text) => text.replace('let words = 0;', `let words = 0;\n${statement};`));
      await expect(buildPlugin(directory)).rejects.toThrow(advice);
    },
    60_000,
  );

  it('takes what asconfig.json says of the runtime', async () => {
    const { directory } = await newPlugin('Own', 'assemblyscript', folder);
    const stub = await buildPlugin(directory);
    await writeFile(join(directory, 'asconfig.json'), '{ "options": { "runtime": "incremental" } }');
    const collecting = await buildPlugin(directory);
    expect(collecting.sizeBytes).toBeGreaterThan(stub.sizeBytes);
    expect((await checkPlugin(directory)).cases.flatMap(({ faults }) => faults)).toEqual([]);
  }, 60_000);

  it('of a folder without a source says what is looked for', async () => {
    await expect(buildPlugin(folder)).rejects.toThrow(/it has none of assembly\/index\.ts, src\/index\.ts/);
  });
});

describe('a check', () => {
  it('says why a server would not serve it', async () => {
    const { directory } = await newPlugin('Own', 'assemblyscript', folder);
    await rm(join(directory, 'assembly'), { recursive: true });
    expect((await checkPlugin(directory)).refusal).toMatch(/"plugin\.wasm" is not in .*; vcp plugin build makes it/);
    await writeFile(join(directory, 'plugin.wasm'), 'no module');
    expect((await checkPlugin(directory)).refusal).toMatch(/its module is not accepted/);
    await rewrite(join(directory, 'plugin-manifest.json'), (text) => text.replace('"synchronous"', '"sometimes"'));
    expect(await checkPlugin(directory)).toMatchObject({
      name: 'Own',
      refusal: expect.stringMatching(/pluginType/),
      notRun: 'it is not served',
    });
    expect((await checkPlugin(folder)).refusal).toMatch(/has no plugin-manifest\.json/);
  }, 60_000);

  it('says of a plugin that is no tool that there is nothing to call', async () => {
    expect(await checkPlugin(join(serverRoot, 'plugins-stdio', 'HostFacts'))).toMatchObject({
      name: 'HostFacts',
      refusal: null,
      cases: [],
      notRun: 'it is served, and is no tool; contract cases are calls of tools',
    });
  }, 60_000);

  it('judges the source as it is now, and not an older module', async () => {
    const { directory } = await newPlugin('Own', 'typescript', folder);
    await buildPlugin(directory);
    const file = join(directory, 'src', 'index.ts');
    await rewrite(file, (text) => text.replace('data: { words }', 'data: { words: words + 1 }'));
    expect((await checkPlugin(directory)).cases[0]?.faults).toEqual(['data is {"words":5}, not {"words":4}']);
    await rewrite(file, (text) => text.replace('Count:', 'Count: ('));
    expect(await checkPlugin(directory)).toMatchObject({
      refusal: expect.stringMatching(/^src\/index\.ts:\d+:\d+: /),
      notRun: 'it cannot be built',
      cases: [],
    });
  }, 60_000);

  it('says that the module cannot be written', async () => {
    const { directory } = await newPlugin('Own', 'typescript', folder);
    await mkdir(join(directory, 'plugin.wasm'));
    expect((await checkPlugin(directory)).refusal).toMatch(/^its module cannot be built: .*plugin\.wasm/);
  }, 60_000);

  it('begins each case with nothing kept, and names the kinds that are missing', async () => {
    const { directory } = await newPlugin('Own', 'typescript', folder);
    await rewrite(join(directory, 'plugin-manifest.json'), (text) =>
      text.replace('"capabilities"', '"permissions": { "kv": true }, "capabilities"'),
    );
    await writeFile(
      join(directory, 'src', 'index.ts'),
      `import { kv } from 'vcp-plugin';
      export default { Count: () => {
        const words = (kv.get('count') ?? 0) + 1;
        kv.set('count', words);
        return { data: { words } };
      } };`,
    );
    const expect1 = { arguments: { text: 'a' }, expect: { status: 'success', data: { words: 1 } } };
    const cases = ['one', 'another'].map((name) => ({ name, kind: 'success', ...expect1 }));
    await writeFile(join(directory, 'contract-cases.json'), JSON.stringify({ cases }));
    expect(await checkPlugin(directory)).toMatchObject({
      cases: [
        { name: 'one', faults: [] },
        { name: 'another', faults: [] },
      ],
      warnings: ['Count has no contract case of kind "argument-error"', 'Count has no contract case of kind "edge"'],
    });
  }, 60_000);

  it('says what a case came to instead', async () => {
    const { directory } = await newPlugin('Own', 'node', folder);
    await rewrite(join(directory, 'contract-cases.json'), (text) =>
      text.replace('"words": 4', '"words": 5').replace('TEXT.EMPTY', 'TEXT.FULL'),
    );
    const { cases } = await checkPlugin(directory);
    expect(cases.map(({ faults }) => faults)).toEqual([
      ['data is {"words":4}, not {"words":5}'],
      [],
      ['error.code is "TEXT.EMPTY", not "TEXT.FULL"'],
    ]);
  }, 60_000);

  it('says where a guest gave up, in the words of its error', async () => {
    const { directory } = await newPlugin('Own', 'assemblyscript', folder);
    await rewrite(source(), (text) =>
      text.replace('let words = 0;', "let words = 0;\n    if (words == 0) throw new Error('the jar is empty: ä🙂');"),
    );
    await buildPlugin(directory);
    const [first] = (await checkPlugin(directory)).cases;
    expect(first?.faults.at(-1)).toContain('the jar is empty: ä🙂 (assembly/index.ts:7:');
  }, 60_000);
});
