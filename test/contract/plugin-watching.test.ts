// Real directories, a real watcher: whatever editors, copies and checkouts do to a plugin ends as what is on the disk.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../support/processes.ts';
import { openWatchedPlugins, writeManifest, type WatchedPlugins } from '../support/watched-plugins.ts';

let parts: WatchedPlugins | null = null;
afterEach(() => parts?.close());

const PATIENCE_MS = 20_000;
vi.setConfig({ testTimeout: 120_000 });
const open = async (options: Parameters<typeof openWatchedPlugins>[0] = {}) => {
  parts = await openWatchedPlugins({
    prepare: (root) => {
      writeManifest(join(root, 'plugins', 'A'), 'A');
      writeFileSync(join(root, 'plugins', 'A', 'main.sh'), 'echo one');
    },
    ...options,
  });
  return parts;
};
const serves = (expected: Record<string, string>) =>
  until(
    `serves ${JSON.stringify(expected)}`,
    () => JSON.stringify(parts!.served()) === JSON.stringify(expected),
    PATIENCE_MS,
  );
const identity = (name = 'A') => parts!.registry.get(name);
const isReplaced = async (name = 'A', before = identity(name)) =>
  until(`${name} is replaced`, () => identity(name) !== before && identity(name) !== null, PATIENCE_MS);

/** Waits until no look is under way any more: longer than changes are gathered, and until the number of looks stands. */
const isQuiet = async () => {
  let seen = -1;
  await until(
    'no more looks',
    async () => {
      const before = parts!.looks.count;
      await sleep(600);
      const stands = before === parts!.looks.count && before === seen;
      seen = before;
      return stands;
    },
    PATIENCE_MS,
  );
};

describe('a change of a plugin', () => {
  it('in place is taken over, and the version before it retired', async () => {
    const { plugins, retired } = await open();
    const before = identity();
    writeManifest(join(plugins, 'A'), 'A', '2.0.0');
    await serves({ A: '2.0.0' });
    expect(retired).toEqual([before]);
  });

  it('by an editor that writes another file and renames it is taken over', async () => {
    const { plugins } = await open();
    const manifest = join(plugins, 'A', 'plugin-manifest.json');
    for (const version of ['2.0.0', '3.0.0']) {
      writeFileSync(`${manifest}~`, readFileSync(manifest, 'utf8'));
      writeFileSync(`${manifest}.swp`, readFileSync(manifest, 'utf8').replace(/\d\.0\.0/, version));
      renameSync(`${manifest}.swp`, manifest);
      await serves({ A: version });
    }
  });

  it('of its program alone makes another version of it', async () => {
    const { plugins } = await open();
    const replaced = isReplaced();
    writeFileSync(join(plugins, 'A', 'main.sh'), 'echo two');
    await replaced;
    expect(parts!.served()).toEqual({ A: '1.0.0' });
  });

  it('is seen in folders below, also in those that came later', async () => {
    const { plugins } = await open();
    for (const folder of [join(plugins, 'A', 'lib'), join(plugins, 'A', 'lib', 'deeper')]) {
      const replaced = isReplaced();
      mkdirSync(folder);
      writeFileSync(join(folder, 'part.sh'), 'a');
      await replaced;
      await isQuiet();
      const again = isReplaced();
      writeFileSync(join(folder, 'part.sh'), 'b');
      await again;
    }
  });

  it('of its configuration is taken over; the version before it keeps the values that it had', async () => {
    const configSchema = { type: 'object', properties: { CITY: { type: 'string' } } };
    const { plugins, source } = await open({
      prepare: (root) => {
        writeManifest(join(root, 'plugins', 'A'), 'A', '1.0.0', { configSchema });
        writeFileSync(join(root, 'plugins', 'A', 'config.env'), 'CITY=Kiel\n');
      },
    });
    const before = identity()!;
    const replaced = isReplaced();
    writeFileSync(join(plugins, 'A', 'config.env'), 'CITY=Ulm\n');
    await replaced;
    expect([source.configurationOf(before), source.configurationOf(identity()!)]).toEqual([
      { CITY: 'Kiel' },
      { CITY: 'Ulm' },
    ]);
  });

  it('that leaves every file as it was is none', async () => {
    const { plugins } = await open();
    const before = identity();
    const { count } = parts!.looks;
    const program = join(plugins, 'A', 'main.sh');
    utimesSync(program, new Date(), new Date());
    writeFileSync(program, readFileSync(program));
    await until('it was looked at', () => parts!.looks.count > count, PATIENCE_MS);
    await isQuiet();
    expect(identity()).toBe(before);
  });

  it('is not what tools and editors leave beside it', async () => {
    const { plugins } = await open();
    await isQuiet();
    const before = identity();
    const { count } = parts!.looks;
    for (const folder of ['.git', 'node_modules', '__pycache__', '.venv']) {
      cpSync(join(plugins, 'A', 'main.sh'), join(plugins, 'A', folder, 'x'), { recursive: true });
    }
    for (const file of ['main.pyc', 'main.sh~', '.main.sh.swp', '4913', '#main.sh#', 'main.sh.tmp', '.#main.sh']) {
      writeFileSync(join(plugins, 'A', file), 'x');
    }
    await isQuiet();
    expect([identity(), parts!.looks.count]).toEqual([before, count]);
  });

  it('of fifty files at once is taken over in a few looks', async () => {
    const { plugins } = await open();
    const { count } = parts!.looks;
    for (let index = 0; index < 50; index += 1) writeFileSync(join(plugins, 'A', `part-${index}.sh`), String(index));
    writeManifest(join(plugins, 'A'), 'A', '2.0.0');
    await serves({ A: '2.0.0' });
    await isQuiet();
    expect(parts!.looks.count - count).toBeLessThanOrEqual(4);
  });
});

describe('a folder', () => {
  it('that comes is served, and one that goes is not', async () => {
    const { plugins, retired } = await open();
    cpSync(join(plugins, 'A'), join(plugins, '.B'), { recursive: true });
    writeManifest(join(plugins, '.B'), 'B');
    renameSync(join(plugins, '.B'), join(plugins, 'B'));
    await serves({ A: '1.0.0', B: '1.0.0' });
    const gone = identity('B');
    rmSync(join(plugins, 'B'), { recursive: true });
    await serves({ A: '1.0.0' });
    expect(retired).toEqual([gone]);
    expect(parts!.registry.refused()).toEqual([]);
  });

  it('may get its manifest long after it was made', async () => {
    const { plugins } = await open();
    mkdirSync(join(plugins, 'B'));
    await isQuiet();
    writeManifest(join(plugins, 'B'), 'B');
    await serves({ A: '1.0.0', B: '1.0.0' });
  });

  it('that is replaced whole, at once or in steps, is seen each time', async () => {
    const { plugins } = await open();
    for (const version of ['2.0.0', '3.0.0']) {
      writeManifest(join(plugins, '.next'), 'A', version);
      rmSync(join(plugins, 'A'), { recursive: true });
      renameSync(join(plugins, '.next'), join(plugins, 'A'));
      await serves({ A: version });
    }
    await isQuiet();
    // What is watched by now is the new folder, not the one that was removed.
    writeManifest(join(plugins, 'A'), 'A', '4.0.0');
    await serves({ A: '4.0.0' });
  });

  it('may be a link that is turned to another release', async () => {
    const { plugins, root } = await open();
    for (const version of ['1.0.0', '2.0.0']) writeManifest(join(root, 'releases', version), 'Linked', version);
    symlinkSync(join(root, 'releases', '1.0.0'), join(plugins, 'Linked'));
    await serves({ A: '1.0.0', Linked: '1.0.0' });
    symlinkSync(join(root, 'releases', '2.0.0'), join(plugins, '.Linked'));
    renameSync(join(plugins, '.Linked'), join(plugins, 'Linked'));
    await serves({ A: '1.0.0', Linked: '2.0.0' });
    await isQuiet();
    writeManifest(join(root, 'releases', '2.0.0'), 'Linked', '2.0.1');
    await serves({ A: '1.0.0', Linked: '2.0.1' });
  });

  it('that holds plugins may come after the start, go, and come again', async () => {
    const { root } = await open({ directories: ['far/away/plugins'], prepare: () => undefined });
    expect(parts!.registry.refused()[0]?.reason).toContain('ENOENT');
    for (let time = 0; time < 2; time += 1) {
      mkdirSync(join(root, 'far'));
      await isQuiet();
      writeManifest(join(root, 'far', 'away', 'plugins', 'A'), 'A');
      await serves({ A: '1.0.0' });
      expect(parts!.registry.refused()).toEqual([]);
      rmSync(join(root, 'far'), { recursive: true });
      await serves({});
      await isQuiet();
    }
  });

  it('that cannot be read for a while does not take its plugins away', async () => {
    const { plugins, root } = await open();
    const before = identity();
    // A file in its place cannot be read as a directory, by no user whatever.
    renameSync(plugins, join(root, 'aside'));
    writeFileSync(plugins, '');
    await until('it is refused', () => parts!.registry.refused().length > 0, PATIENCE_MS);
    expect(identity()).toBe(before);
    rmSync(plugins);
    renameSync(join(root, 'aside'), plugins);
    await until('it is mended', () => parts!.registry.refused().length === 0, PATIENCE_MS);
    expect(identity()).toBe(before);
  });
});

describe('a manifest that is broken', () => {
  it('leaves the last good version in service until it is whole again', async () => {
    const { plugins, logged } = await open();
    const before = identity();
    const path = join(plugins, 'A', 'plugin-manifest.json');
    const whole = readFileSync(path, 'utf8').replace('1.0.0', '2.0.0');
    writeFileSync(path, whole.slice(0, 100));
    await until('it is refused', () => parts!.registry.refused().length === 1, PATIENCE_MS);
    expect(parts!.registry.refused()).toMatchObject([
      { name: 'A', serving: '1.0.0', reason: expect.stringContaining('is not JSON') as unknown },
    ]);
    expect(identity()).toBe(before);
    expect(parts!.service.list()).toMatchObject([{ name: 'A', version: '1.0.0', state: 'stale' }]);
    appendFileSync(path, whole.slice(100));
    await serves({ A: '2.0.0' });
    expect(parts!.registry.refused()).toEqual([]);
    expect(logged.filter(({ event }) => event === 'plugin.refused')).toHaveLength(1);
  });

  it.each<[string, (plugin: string) => void, RegExp]>([
    ['by a schema', (plugin) => writeManifest(plugin, 'A', '2.0.0', {}, { inputSchema: { type: 'x' } }), /inputSchema/],
    [
      'by a program that is missing',
      (plugin) => writeManifest(plugin, 'A', '2.0.0', {}, { command: 'node', args: ['gone.mjs'] }),
      /gone\.mjs/,
    ],
    [
      'by configuration that is missing',
      (plugin) =>
        writeManifest(plugin, 'A', '2.0.0', {
          configSchema: { type: 'object', properties: { KEY: { type: 'string' } }, required: ['KEY'] },
        }),
      /KEY/,
    ],
    ['by a name that is taken', (plugin) => writeManifest(plugin, 'First'), /is taken/],
  ])('%s leaves it too', async (_, spoil, reason) => {
    const { plugins } = await open({
      prepare: (root) => {
        writeManifest(join(root, 'plugins', 'A'), 'A');
        writeManifest(join(root, 'plugins', '0First'), 'First');
      },
    });
    const before = identity();
    spoil(join(plugins, 'A'));
    await until('it is refused', () => parts!.registry.refused().length === 1, PATIENCE_MS);
    expect(parts!.registry.refused()[0]).toMatchObject({
      serving: '1.0.0',
      reason: expect.stringMatching(reason) as unknown,
    });
    expect(identity()).toBe(before);
  });
});

describe('watching that fails', () => {
  const failing = (code: string) => () => {
    throw Object.assign(new Error(`${code}: the system limit was reached`), { code });
  };

  it.each([
    ['ENOSPC', 'fs.inotify.max_user_watches'],
    ['EMFILE', 'fs.inotify.max_user_instances'],
  ])('is told once with what to do (%s), and a reload by hand goes on working', async (code, advice) => {
    const { plugins, logged, service } = await open({ watchOne: failing(code) });
    expect(logged.filter(({ event }) => event === 'plugins.not-watched')).toMatchObject([
      { fields: { reason: expect.stringContaining(advice) as unknown } },
    ]);
    expect(logged.at(-1)?.fields['reason']).toContain('VCP_WATCH=poll');
    writeManifest(join(plugins, 'A'), 'A', '2.0.0');
    await service.reload();
    expect(parts!.served()).toEqual({ A: '2.0.0' });
  });

  it('later on leaves what is still watched', async () => {
    const emitters: EventEmitter[] = [];
    const { logged } = await open({
      watchOne: () => {
        const emitter = new EventEmitter();
        emitters.push(emitter);
        return Object.assign(emitter, { close: () => undefined }) as never;
      },
    });
    emitters[0]?.emit('error', Object.assign(new Error('EIO'), { code: 'EIO' }));
    expect(logged.map(({ event }) => event)).toContain('plugins.not-watched');
  });
});

describe('without events', () => {
  it('a look every so often finds the change', async () => {
    const { plugins } = await open({ mode: 'poll', limits: { reloadPollMs: 50 } });
    writeManifest(join(plugins, 'A'), 'A', '2.0.0');
    await serves({ A: '2.0.0' });
  });

  it('nothing is done until it is asked for', async () => {
    const { plugins, service } = await open({ mode: 'false' });
    const { count } = parts!.looks;
    writeManifest(join(plugins, 'A'), 'A', '2.0.0');
    await isQuiet();
    expect([parts!.looks.count, parts!.served()]).toEqual([count, { A: '1.0.0' }]);
    expect((await service.reload()).changes).toMatchObject([
      { change: 'reloaded', name: 'A', previousVersion: '1.0.0' },
    ]);
  });
});

describe('a plugin of very many or very large files', () => {
  it('is watched as far as the limits go, and says so', async () => {
    const { plugins, logged } = await open({ limits: { pluginFiles: 2, comparedFileBytes: 4 } });
    const replaced = isReplaced();
    // Larger than what is compared by content: told apart by its size and time.
    writeFileSync(join(plugins, 'A', 'main.sh'), 'echo two, and more');
    await replaced;
    writeFileSync(join(plugins, 'A', 'third'), '');
    writeFileSync(join(plugins, 'A', 'fourth'), '');
    await until('it says so', () => logged.some(({ event }) => event === 'plugin.too-many-files'), PATIENCE_MS);
    expect(parts!.served()).toEqual({ A: '1.0.0' });
  });

  it('notices that a program may be run now', async () => {
    const { plugins } = await open();
    const replaced = isReplaced();
    chmodSync(join(plugins, 'A', 'main.sh'), 0o755);
    await replaced;
    expect(existsSync(join(plugins, 'A', 'main.sh'))).toBe(true);
  });
});
