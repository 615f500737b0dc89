import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchDirectories, type WatchOne } from '../../adapters/node/plugins/watch-directories.ts';

it('tells when a directory is watched for a name that did not matter in it before', async () => {
  const root = mkdtempSync(join(tmpdir(), 'vcp-test-names-'));
  const plugins = join(root, 'plugins');
  mkdirSync(plugins);
  const silent: ReturnType<WatchOne> = { on: () => silent as never, close: () => undefined };
  const watcher = watchDirectories({
    files: [join(root, 'config.env')],
    onChange: () => undefined,
    onFault: () => undefined,
    watchOne: () => silent,
  });
  expect(await watcher.watch([plugins])).toBe(true);
  expect(await watcher.watch([plugins])).toBe(false);
  // From here on the root has to tell when the folder comes; what it told of it before was not listened to.
  renameSync(plugins, join(root, 'aside'));
  expect(await watcher.watch([plugins])).toBe(true);
  expect(await watcher.watch([plugins])).toBe(false);
  watcher.close();
  rmSync(root, { recursive: true, force: true });
});

it('tells when a directory went between the look and the watch', async () => {
  const root = mkdtempSync(join(tmpdir(), 'vcp-test-gone-'));
  const faults: string[] = [];
  const failing = (code: string) =>
    watchDirectories({
      files: [],
      onChange: () => undefined,
      onFault: (directory) => void faults.push(directory),
      watchOne: () => {
        throw Object.assign(new Error(code), { code });
      },
    });
  expect(await failing('ENOENT').watch([root])).toBe(true);
  expect(faults).toEqual([]);
  // What cannot be watched at all would be looked at for ever.
  expect(await failing('ENOSPC').watch([root])).toBe(false);
  expect(faults).toEqual([root]);
  rmSync(root, { recursive: true, force: true });
});
