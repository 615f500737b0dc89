import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { serverRoot } from '../../../adapters/node/server-root.ts';
import { builtPlugin } from '../../support/javascript-plugin.ts';

const HELLO = `export default { Hello: ({ name }: { name: string }) => ({ data: { greeting: 'Hello ' + name } }) };`;

describe('a module of a plugin in TypeScript', () => {
  it('has the same bytes whenever and wherever it is built', async () => {
    const [one, other] = [await builtPlugin({ 'src/index.ts': HELLO }), await builtPlugin({ 'src/index.ts': HELLO })];
    expect(Buffer.from(one).equals(other)).toBe(true);
  });

  it('is below a megabyte when it brings no libraries', async () => {
    expect((await builtPlugin({ 'plugin.ts': HELLO })).length).toBeLessThan(800_000);
  });

  it('imports nothing but what every sandbox has, and exports its call and its memory alone', async () => {
    const module = await WebAssembly.compile(await builtPlugin({ 'src/index.ts': HELLO }));
    const modules = new Set(WebAssembly.Module.imports(module).map(({ module: from }) => from));
    expect([...modules].toSorted()).toEqual(['extism:host/env', 'extism:host/user']);
    expect(
      WebAssembly.Module.exports(module)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['invoke', 'memory']);
  });

  it('takes URL along only when the source speaks of it', async () => {
    const without = await builtPlugin({ 'src/index.ts': HELLO });
    const url = `export default { Host: ({ url }: { url: string }) => ({ data: new URL(url).host }) };`;
    expect((await builtPlugin({ 'src/index.ts': url })).length - without.length).toBeGreaterThan(30_000);
  });
});

it('has an engine that is what its sources give', { timeout: 120_000 }, () => {
  const script = join(serverRoot, 'scripts', 'build-javascript-engine.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, said: `${stdout}${stderr}`.trim() }).toEqual({
    status: 0,
    said: 'engine.wasm is what its sources give',
  });
});
