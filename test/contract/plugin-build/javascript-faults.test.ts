import { expect, it } from 'vitest';
import { PluginBuildError } from '../../../adapters/node/plugin-build/build-report.ts';
import { builtPlugin } from '../../support/javascript-plugin.ts';

const faultOf = async (source: string): Promise<string> => {
  const fault: unknown = await builtPlugin({ 'src/index.ts': source }).catch((error: unknown) => error);
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
    /No matching export in "src\/index\.ts" for import "default"/,
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
