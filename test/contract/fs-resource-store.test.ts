import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import { describeResourceStore, sha256 } from './suites/resource-store.ts';

const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

describeResourceStore('files', async () => {
  const root = mkdtempSync(join(tmpdir(), 'vcp-test-blobs-'));
  const store = await createFsResourceStore(root);
  return {
    store,
    leftovers: () => filesIn(root).filter((path) => !/\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/.test(path)),
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
});

describe('a directory of blobs', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vcp-test-blobs-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('keeps one file for the same bytes, which only its owner may read', async () => {
    const store = await createFsResourceStore(root);
    const bytes = Buffer.from('the same');
    await Promise.all(Array.from({ length: 10 }, () => store.put(bytes, { maxBytes: 100 })));
    const [file, ...others] = filesIn(root);
    expect(others).toEqual([]);
    expect(file?.endsWith(sha256(bytes))).toBe(true);
    expect(statSync(file!).mode & 0o777).toBe(0o600);
  });

  it('has its blobs again, and nothing that was left half written long ago, when it is opened anew', async () => {
    const blob = await (await createFsResourceStore(root)).put(Buffer.from('kept'), { maxBytes: 100 });
    const longAgo = Date.now() / 1_000 - 2 * 24 * 60 * 60;
    writeFileSync(join(root, 'incoming', 'left-by-a-killed-process'), 'half');
    utimesSync(join(root, 'incoming', 'left-by-a-killed-process'), longAgo, longAgo);
    writeFileSync(join(root, 'incoming', 'of-another-server'), 'half');
    const store = await createFsResourceStore(root);
    expect(await store.stat(blob.sha256)).toEqual(blob);
    expect(filesIn(root).filter((path) => path.includes('incoming'))).toEqual([
      join(root, 'incoming', 'of-another-server'),
    ]);
  });

  it.each(['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(63)}/`, 'a'.repeat(65)])(
    'makes no path of anything but a hash: %j',
    async (given) => {
      const store = await createFsResourceStore(root);
      await expect(store.get(given)).rejects.toThrow('not a SHA-256');
      await expect(store.stat(given)).rejects.toThrow('not a SHA-256');
    },
  );
});
