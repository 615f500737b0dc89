import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import { createLocalFiles } from '../../adapters/fs/local-files.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { publishing } from '../support/publishing.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-directory-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const store = await createFsResourceStore(join(base, 'store'));
let count = 0;

/** A directory of a call with these files. */
const callDirectory = (files: Record<string, string>): string => {
  const root = join(base, `call-${(count += 1)}`);
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
};

const publishDirectory = async (root: string, fields: Record<string, unknown> = {}, limits = {}) =>
  await publishing(
    { data: null, resources: [{ id: 'site', kind: 'directory', localPath: 'site', ...fields }] },
    { limits, directory: root, files: createLocalFiles(), store },
  );

/** What is in a published archive, as another program reads it. */
const contentOf = async (sha256: string): Promise<Record<string, string>> => {
  const file = join(base, `${sha256}.zip`);
  const stream = await store.get(sha256);
  writeFileSync(file, new Uint8Array(await new Response(stream).arrayBuffer()));
  const script =
    'import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n:z.read(n).decode() for n in z.namelist()}))';
  return JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })) as Record<string, string>;
};

describe('a directory', () => {
  it('is published as one ZIP with all its files', async () => {
    const root = callDirectory({
      'site/index.html': '<p>',
      'site/图/𝄞.txt': 'note',
      'site/empty': '',
      'beside.txt': 'no',
    });
    const { published } = await publishDirectory(root);
    const [descriptor] = published?.resources ?? [];
    expect(descriptor).toMatchObject({ kind: 'directory', mimeType: 'application/zip', fileName: 'site.zip' });
    expect(await contentOf(descriptor?.sha256 ?? '')).toEqual({ empty: '', 'index.html': '<p>', '图/𝄞.txt': 'note' });
    expect(published?.warnings).toEqual([]);
  });

  it('is the same archive each time, whenever and in whatever order its files were made', async () => {
    const first = callDirectory({ 'site/a': '1', 'site/b/c': '2', 'site/d': '3' });
    const second = callDirectory({ 'site/d': '3', 'site/a': '1', 'site/b/c': '2' });
    execFileSync('touch', ['-d', '2001-02-03', join(second, 'site/a')]);
    const hashes = [];
    for (const root of [first, second]) hashes.push((await publishDirectory(root)).published?.resources[0]?.sha256);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
  });

  it('is packed without what its links and special files lead to, and says so', async () => {
    const root = callDirectory({ 'site/a': '1', 'secret/key': 'secret' });
    symlinkSync(join(root, 'secret/key'), join(root, 'site/link'));
    symlinkSync(join(root, 'secret'), join(root, 'site/folder'));
    symlinkSync('.', join(root, 'site/itself'));
    execFileSync('mkfifo', [join(root, 'site/fifo')]);
    const { published } = await publishDirectory(root);
    expect(await contentOf(published?.resources[0]?.sha256 ?? '')).toEqual({ a: '1' });
    expect(published?.warnings).toMatchObject([
      { code: 'DIRECTORY_ENTRIES_SKIPPED', target: 'resources.0', details: { count: 4 } },
    ]);
  });

  it('may be all that the call left, and may have nothing in it', async () => {
    const all = await publishDirectory(callDirectory({ a: '1' }), { localPath: '.', fileName: 'all.zip' });
    expect(all.published?.resources[0]).toMatchObject({ fileName: 'all.zip' });
    const root = callDirectory({});
    mkdirSync(join(root, 'site'));
    expect((await publishDirectory(root)).published?.resources[0]).toMatchObject({ mimeType: 'application/zip' });
  });

  it.each<[string, string, string]>([
    ['a link to a directory', 'link', 'FORBIDDEN'],
    ['a directory outside', '../', 'FORBIDDEN'],
    ['a directory behind a link', 'link/deep', 'FORBIDDEN'],
    ['an absolute path', '/etc', 'FORBIDDEN'],
    ['nothing', 'missing', 'FILE_NOT_FOUND'],
  ])('is not %s', async (_, localPath, code) => {
    const root = callDirectory({ 'site/a': '1' });
    const outside = callDirectory({ 'deep/secret': 'secret' });
    symlinkSync(outside, join(root, 'link'));
    const { failure } = await publishDirectory(root, { localPath });
    expect(failure).toMatchObject({ code, details: { pointer: '/resources/0/localPath' } });
  });

  it('is bounded in its entries and its bytes', async () => {
    const root = callDirectory({ 'site/a': '1', 'site/b/c': 'x'.repeat(10_000) });
    const pointer = '/resources/0/localPath';
    expect((await publishDirectory(root, {}, { directoryEntries: 2 })).failure).toMatchObject({
      code: 'RESOURCE_TOO_LARGE',
      message: `${pointer} has more than 2 files and folders`,
    });
    expect((await publishDirectory(root, {}, { directoryEntries: 3 })).failure).toBeNull();
    expect((await publishDirectory(root, {}, { resourceBytes: 10_000 })).failure).toMatchObject({
      code: 'RESOURCE_TOO_LARGE',
      details: { pointer },
    });
  });

  it('that is a file is published as that file', async () => {
    const root = callDirectory({ site: 'plain text' });
    const { published } = await publishDirectory(root);
    expect(published?.resources[0]).toMatchObject({ sizeBytes: 10, fileName: 'site' });
  });
});

it('never packs a file from outside, however fast a folder and a link change places', async () => {
  const root = callDirectory({ 'site/a': 'harmless' });
  const outside = callDirectory({ 'secret.txt': 'the content of a file outside' });
  const script = join(repositoryRoot, 'test', 'fixtures', 'swap-files.mjs');
  const swapper = spawn(process.execPath, [script, join(root, 'site'), outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen = new Set<string>();
  const skipped = new Set<unknown>();
  try {
    await once(swapper.stdout, 'data');
    const end = Date.now() + 1_500;
    while (Date.now() < end) {
      const { published, failure } = await publishDirectory(root);
      expect(failure).toBeNull();
      for (const { details } of published?.warnings ?? []) skipped.add((details as { count: number }).count);
      const stream = await store.get(published?.resources[0]?.sha256 ?? '');
      seen.add(await new Response(stream).text());
    }
  } finally {
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
  }
  expect([...seen].filter((archive) => archive.includes('a file outside'))).toEqual([]);
  // The archives differ: the folder and its file were met as what they are, and as links.
  expect(seen.size).toBeGreaterThan(1);
  expect(skipped.size).toBeGreaterThan(0);
}, 20_000);
