// In-process plugins that change. (What the new code imports is a matter of Node's own loader, which stands behind
// vitest's here; test/e2e/plugin-reload.test.ts looks at that.)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CallStopped, type PluginLocation } from '../../src/ports/transport.ts';
import { sha256OfFile } from '../support/manifest.ts';
import { openWatchedPlugins, writeManifest, type WatchedPlugins } from '../support/watched-plugins.ts';
import { transportCall } from '../support/transport-call.ts';

let parts: WatchedPlugins | null = null;
afterEach(() => parts?.close());

const digests = new Set<string>();
const main = () => join(parts!.plugins, 'A', 'main.mjs');
const write = (folder: string, text: string) => writeFileSync(join(folder, 'main.mjs'), text);
const trust = () => void digests.add(sha256OfFile(main()));

const MODULE = `export const processToolCall = () => ({ status: 'success', data: 'one' });\n`;
const open = async (text = MODULE) => {
  digests.clear();
  parts = await openWatchedPlugins({
    mode: 'false',
    digests,
    limits: { moduleLoadMs: 300 },
    prepare: (root) => {
      const folder = join(root, 'plugins', 'A');
      writeManifest(folder, 'A', '1.0.0', {}, { module: 'main.mjs' });
      write(folder, text);
      digests.add(sha256OfFile(join(folder, 'main.mjs')));
    },
  });
  return parts;
};
const answerOf = async (plugin: PluginLocation) =>
  ((await parts!.direct.execute(transportCall(plugin))).payload as { data: unknown }).data;
const current = () => parts!.registry.get('A')!;
const refusal = () => parts!.registry.refused()[0]?.reason;

describe('a module that is changed', () => {
  it('and not trusted leaves the old code in memory in service', async () => {
    const { service, plugins } = await open();
    const before = current();
    expect(await answerOf(before)).toBe('one');
    write(join(plugins, 'A'), MODULE.replace('one', 'two'));
    await service.reload();
    expect(current()).toBe(before);
    expect(refusal()).toContain(sha256OfFile(main()));
    expect(service.list()).toMatchObject([{ state: 'stale', version: '1.0.0' }]);
    expect(await answerOf(current())).toBe('one');
    // The operator's word is all that it takes.
    trust();
    await service.reload();
    expect([refusal(), current() === before]).toEqual([undefined, false]);
  });

  it('may stay although it was never called before it was changed', async () => {
    const { service, plugins } = await open();
    // It is loaded beside the start.
    await expect.poll(() => parts!.source.mayStay(current()), { timeout: 20_000 }).toBe(true);
    write(join(plugins, 'A'), 'not even a module');
    await service.reload();
    expect(await answerOf(current())).toBe('one');
  });

  it.each([
    ['does not parse', 'export const processToolCall = (', /failed to load/],
    ['throws', 'throw new Error("on its way in");', /on its way in/],
    ['exports nothing', 'export default 1;', /does not export processToolCall/],
    ['waits for something that does not come', 'await new Promise(() => undefined);', /did not load within 300 ms/],
  ])('and %s leaves the old one in service', async (_, text, reason) => {
    const { service, plugins } = await open();
    const before = current();
    await answerOf(before);
    write(join(plugins, 'A'), text);
    trust();
    await service.reload();
    expect(refusal()).toMatch(reason);
    expect(await answerOf(current())).toBe('one');
    await service.reload();
    expect([current() === before, refusal()]).toEqual([true, expect.stringMatching(reason)]);
  });
});

describe('a module that loads too slowly', () => {
  it('is taken over by the next reload after it has loaded, without a change of its files', async () => {
    const { service, plugins } = await open();
    await answerOf(current());
    write(
      join(plugins, 'A'),
      `await new Promise((resolve) => setTimeout(resolve, 900));\n${MODULE.replace('one', 'late')}`,
    );
    trust();
    await service.reload();
    expect(refusal()).toMatch('did not load within 300 ms');
    await expect
      .poll(() => service.reload().then(() => answerOf(current())), { timeout: 20_000, interval: 200 })
      .toBe('late');
    expect(refusal()).toBeUndefined();
  });
});

describe('trust that is taken back', () => {
  it('takes the tool away: code that nobody trusts does not go on', async () => {
    const { service, logged } = await open();
    expect(await answerOf(current())).toBe('one');
    digests.clear();
    await service.reload();
    expect(parts!.registry.get('A')).toBeNull();
    expect(logged.map(({ event }) => event)).toContain('plugin.retired');
    digests.add(sha256OfFile(main()));
    await service.reload();
    expect(await answerOf(current())).toBe('one');
  });
});

describe('a start', () => {
  it('waits for no module, and a module that waits is tried by calls', async () => {
    const { service } = await open('await new Promise(() => undefined); export const processToolCall = () => null;');
    await service.reload();
    const stopped = parts!.direct.execute(transportCall(current(), { timeoutMs: 50 }));
    await expect(stopped).rejects.toBeInstanceOf(CallStopped);
    expect(readFileSync(main(), 'utf8')).toContain('await');
  });
});
