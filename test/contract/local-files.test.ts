// §19.1: a path is judged by the file that it opens.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalFiles } from '../../adapters/fs/local-files.ts';
import { repositoryRoot } from '../support/manifest.ts';

const SECRET = 'the content of a file outside';
const base = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-files-')));
const root = join(base, 'root');
const files = createLocalFiles();

beforeAll(() => {
  mkdirSync(join(root, 'folder', 'deep'), { recursive: true });
  mkdirSync(join(base, 'root-beside'));
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.txt'), SECRET);
  writeFileSync(join(base, 'root-beside', 'secret.txt'), SECRET);
  writeFileSync(join(root, 'plain.txt'), 'plain');
  writeFileSync(join(root, 'empty'), '');
  writeFileSync(join(root, '100%.txt'), 'all of it');
  writeFileSync(join(root, 'folder', 'deep', '图 𝄞.txt'), 'deep');
  writeFileSync(join(root, '..two dots first'), 'dots');
  symlinkSync(join(base, 'outside', 'secret.txt'), join(root, 'link-out'));
  symlinkSync(join(root, 'plain.txt'), join(root, 'link-in'));
  symlinkSync(join(base, 'outside'), join(root, 'folder-out'));
  symlinkSync(join(base, 'root-beside'), join(root, 'folder-beside'));
  symlinkSync(join(root, 'folder'), join(root, 'folder-in'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync(join(base, 'nowhere'), join(root, 'dangling'));
  symlinkSync('/proc/self', join(root, 'proc'));
  execFileSync('mkfifo', [join(root, 'fifo')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const contentOf = async (path: string, from = root): Promise<string> => {
  const opened = await files.open(from, path);
  if (typeof opened === 'string') return `(${opened})`;
  try {
    return await new Response(opened.stream()).text();
  } finally {
    await opened.close();
  }
};

describe('a path below the root', () => {
  it.each([
    ['plain.txt', 'plain'],
    ['./plain.txt', 'plain'],
    ['folder//deep/./图 𝄞.txt', 'deep'],
    ['folder-in/deep/图 𝄞.txt', 'deep'],
    ['..two dots first', 'dots'],
    ['empty', ''],
    ['100%.txt', 'all of it'],
  ])('is opened: %s', async (path, content) => {
    expect(await contentOf(path)).toBe(content);
  });

  it('tells the size of its file', async () => {
    const opened = await files.open(root, 'plain.txt');
    expect(opened).toMatchObject({ sizeBytes: 5 });
    if (typeof opened !== 'string') await opened.close();
  });

  it('may be below a root that is itself reached by a link', async () => {
    symlinkSync(root, join(base, 'root-link'));
    expect(await contentOf('plain.txt', join(base, 'root-link'))).toBe('plain');
    expect(await contentOf('link-out', join(base, 'root-link'))).toBe('(outside-root)');
  });
});

describe('a path that leads elsewhere', () => {
  it.each([
    '..',
    '../outside/secret.txt',
    '../root-beside/secret.txt',
    '../root/plain.txt',
    'folder/../../outside/secret.txt',
    'folder/..',
    '\\\\server\\share',
    '..\\outside\\secret.txt',
    'folder\\deep',
    '%2e%2e/outside/secret.txt',
    '%2e%2e%2foutside%2fsecret.txt',
    '..%2Foutside%2Fsecret.txt',
    '.%2E/outside/secret.txt',
    '..%5coutside%5csecret.txt',
    '%252e%252e%252foutside',
    'plain.txt\0.png',
    '\0',
    'link-out',
    'link-in',
    'folder-out/secret.txt',
    'folder-beside/secret.txt',
    'loop',
    'dangling',
    'proc/environ',
    '.',
    '',
  ])('is outside: %j', async (path) => {
    expect(await contentOf(path)).toBe('(outside-root)');
  });

  it.each([
    '/etc/passwd',
    join(base, 'outside', 'secret.txt'),
    join(root, 'plain.txt'),
    '//etc/passwd',
    'C:\\secret.txt',
    'c:secret.txt',
  ])('is not relative: %j', async (path) => {
    expect(await contentOf(path)).toBe('(absolute)');
  });

  it.each([
    'missing.txt',
    'folder/missing/x',
    'plain.txt/x',
    'n'.repeat(300),
    `${'folder/'.repeat(600)}x`,
    'folder-out/missing',
  ])('to nothing is not found: %j', async (path) => {
    expect(await contentOf(path)).toBe('(not-found)');
  });

  it('is not found below a root that is not there', async () => {
    expect(await contentOf('plain.txt', join(base, 'no-root'))).toBe('(not-found)');
  });
});

describe('something other than a file', () => {
  it.each(['folder', 'folder/deep', 'folder/'])('is refused: directory %s', async (path) => {
    expect(await contentOf(path)).toBe('(not-a-file)');
  });

  it('is refused without waiting: a FIFO', async () => {
    expect(await contentOf('fifo')).toBe('(not-a-file)');
  });

  it('is refused: a socket', async () => {
    const server = createServer().listen(join(root, 'socket'));
    await once(server, 'listening');
    expect(await contentOf('socket')).toBe('(not-a-file)');
    server.close();
  });

  it('is refused: a device', async ({ skip }) => {
    try {
      execFileSync('mknod', [join(root, 'device'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      skip('this user may not make device files');
    }
    expect(await contentOf('device')).toBe('(not-a-file)');
  });
});

it('never reads a file outside, however fast a file, a link and their folder change places', async () => {
  // In another process, so that the changes fall between any two steps of the opening.
  const swapper = spawn(
    process.execPath,
    [join(repositoryRoot, 'test', 'fixtures', 'swap-files.mjs'), root, join(base, 'outside')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const seen = new Map<string, number>();
  try {
    await once(swapper.stdout, 'data');
    const end = Date.now() + 1_500;
    while (Date.now() < end) {
      for (const path of ['swapped/secret.txt', 'swapped-file']) {
        const content = await contentOf(path);
        seen.set(content, (seen.get(content) ?? 0) + 1);
      }
    }
  } finally {
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
  }
  expect(
    [...seen.keys()].filter((content) => !['harmless', '(outside-root)', '(not-found)'].includes(content)),
  ).toEqual([]);
  // Both sides of the race were met, or it was none.
  expect(seen.get('harmless')).toBeGreaterThan(0);
  expect(seen.get('(outside-root)')).toBeGreaterThan(0);
}, 20_000);

it('reads the file that it opened, also when another takes its name', async () => {
  writeFileSync(join(root, 'replaced'), 'first');
  const opened = await files.open(root, 'replaced');
  writeFileSync(join(root, 'newer'), 'second');
  renameSync(join(root, 'newer'), join(root, 'replaced'));
  unlinkSync(join(root, 'replaced'));
  if (typeof opened === 'string') throw new Error(opened);
  expect(await new Response(opened.stream()).text()).toBe('first');
  await opened.close();
});
