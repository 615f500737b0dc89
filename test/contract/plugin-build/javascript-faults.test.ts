import { expect, it } from 'vitest';
import { PluginBuildError } from '../../../adapters/node/plugin-build/build-report.ts';
import { builtPlugin } from '../../support/javascript-plugin.ts';

const manifestOf = (...commands: string[]): string =>
  JSON.stringify({ capabilities: { invocationCommands: commands.map((name) => ({ commandIdentifier: name })) } });

const faultOf = async (source: string, files: Readonly<Record<string, string>> = {}, options = {}): Promise<string> => {
  const built = builtPlugin({ 'src/index.ts': source, ...files }, options);
  const fault: unknown = await built.catch((error: unknown) => error);
  if (!(fault instanceof PluginBuildError)) throw new Error('the build did not say what is wrong', { cause: fault });
  return fault.message;
};

it('names the line of a mistake', async () => {
  expect(await faultOf('export default {\n  Count: (] => 1,\n};')).toBe('src/index.ts:2:11: Unexpected "]"');
});

it('names what is not installed', async () => {
  expect(await faultOf(`import x from 'nowhere-to-be-found';\nexport default { x };`)).toBe(
    'src/index.ts:1:15: Could not resolve "nowhere-to-be-found" ' +
      '(packages have to be installed in the folder of the plugin or above it)',
  );
});

it('says that there is no Node', async () => {
  expect(await faultOf(`import { readFile } from 'node:fs';\nexport default { readFile };`)).toMatch(
    /^src\/index\.ts:1:26: Could not resolve "node:fs" \(there are no modules of Node in a sandbox\)/,
  );
});

it('says when there is no default export', async () => {
  expect(await faultOf('export const Count = 1;')).toMatch(
    /No matching export in "src\/index\.ts" for import "default" \(a plugin ends with: export default plugin/,
  );
});

it('refuses a default export that cannot answer', async () => {
  expect(await faultOf('export default 7;')).toMatch(/the default export of a plugin has to be an object of functions/);
});

it('refuses to call the host while it is built', async () => {
  expect(await faultOf(`import { config } from 'vcp-plugin';\nexport default { a: config.get('KEY') };`)).toBe(
    'the top level of the plugin calls the host. It runs once, when the plugin is built: call the host in a handler',
  );
});

it('refuses a top level that asks for the time, which would stand still', async () => {
  expect(await faultOf('const began = Date.now();\nexport default { a: () => ({ data: began }) };')).toMatch(
    /^the top level of the plugin, or of a library, asks for the time\./,
  );
});

it('tells what the top level threw, and where', async () => {
  const source = 'const nothing: any = null;\n\nnothing.field;\nexport default {};';
  expect(await faultOf(source)).toMatch(/cannot read property 'field' of null\n\s+at .*src\/index\.ts:3/);
});

it('stops a top level that does not end', async () => {
  const source = 'let turns = 0;\nfor (;;) turns += 1;\nexport default { a: () => ({ data: turns }) };';
  expect(await faultOf(source, {}, { topLevelMs: 1_500 })).toBe(
    'the top level of the module does not end: it was stopped after 1.5 s. It runs once, when the plugin is built. ' +
      'Look for a loop outside of the handlers, also in libraries',
  );
}, 60_000);

it('stops a top level that takes all memory', async () => {
  const source =
    'const held = [];\nfor (;;) held.push(new Uint8Array(1_000_000));\nexport default { a: () => ({ data: held }) };';
  expect(await faultOf(source)).toMatch(/the top level of the plugin failed .*\n.*out of memory/);
}, 60_000);

it('says what a file without exports has to have', async () => {
  expect(await faultOf('const Count = () => 1;\nCount();', { 'plugin-manifest.json': manifestOf('Count') })).toBe(
    'the default export of src/index.ts has no handler; it has to be such as\n' +
      'export default plugin({ Count: (args, call) => ({ data: … }) });',
  );
});

it('compares the handlers with the commands of the manifest', async () => {
  const source = 'export default { count: () => ({ data: 1 }), Sort: 7 };';
  expect(await faultOf(source, { 'plugin-manifest.json': manifestOf('Count', 'Sort') })).toBe(
    'the manifest has a command "Count", for which src/index.ts has no handler: rename "count" to it\n' +
      'the manifest has a command "Sort", for which src/index.ts has no handler: add one of that name',
  );
});

it('takes one function for all commands', async () => {
  const source = 'export default (args, call) => ({ data: call.command });';
  const files = { 'src/index.ts': source, 'plugin-manifest.json': manifestOf('Count', 'Sort') };
  expect((await builtPlugin(files)).length).toBeGreaterThan(100_000);
});

it('says what stands in the place of a global that is not there', async () => {
  expect(await faultOf('const wait = setTimeout(() => 1, 5);\nexport default { a: () => ({ data: wait }) };')).toMatch(
    /setTimeout'? is not defined \(there are no timers: [^\n]*\)\n\s+at .*src\/index\.ts:1/,
  );
});
