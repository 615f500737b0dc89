import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFsPromptFiles } from '../../adapters/fs/fs-prompt-files.ts';
import { describePromptFiles } from './suites/prompt-files.ts';

describePromptFiles('file system', async (maxBytes) => {
  const root = await mkdtemp(join(tmpdir(), 'vcp-test-prompts-'));
  return {
    files: createFsPromptFiles(root, maxBytes),
    put: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    close: () => rm(root, { recursive: true }),
  };
});

describe('prompts in a directory', () => {
  let root: string;
  let prompts: string;
  const read = (path: string) => createFsPromptFiles(prompts, 1_000).read(path);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vcp-test-prompts-'));
    prompts = join(root, 'prompts');
    mkdirSync(prompts);
    writeFileSync(join(root, 'secret.txt'), 'secret');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('are not followed out of it by a link', async () => {
    symlinkSync(join(root, 'secret.txt'), join(prompts, 'link.txt'));
    symlinkSync(root, join(prompts, 'folder'));
    await expect(read('link.txt')).rejects.toThrow(/^link\.txt is a link out of the directory of prompts/);
    await expect(read('folder/secret.txt')).rejects.toThrow(/is a link out of the directory of prompts/);
  });

  it('may be links within it, and the directory may be one', async () => {
    writeFileSync(join(prompts, 'a.txt'), 'text');
    symlinkSync(join(prompts, 'a.txt'), join(prompts, 'b.txt'));
    symlinkSync(prompts, join(root, 'elsewhere'));
    expect(await read('b.txt')).toBe('text');
    expect(await createFsPromptFiles(join(root, 'elsewhere'), 1_000).read('b.txt')).toBe('text');
  });

  it('are none when there is no directory, or a file in its place', async () => {
    expect(await createFsPromptFiles(join(root, 'gone'), 1_000).read('a.txt')).toBeNull();
    expect(await createFsPromptFiles(join(root, 'secret.txt'), 1_000).read('a.txt')).toBeNull();
  });

  it('lose the marks of editors at both ends', async () => {
    writeFileSync(join(prompts, 'a.txt'), '\uFEFF one\n\n two \r\n');
    expect(await read('a.txt')).toBe(' one\n\n two ');
  });

  it('are text', async () => {
    writeFileSync(join(prompts, 'a.txt'), Uint8Array.of(0xff, 0xfe));
    await expect(read('a.txt')).rejects.toThrow('a.txt is not UTF-8');
    mkdirSync(join(prompts, 'folder.txt'));
    await expect(read('folder.txt')).rejects.toThrow('folder.txt is no file');
  });

  it.skipIf(process.platform === 'win32')('are not waited for', async () => {
    execFileSync('mkfifo', [join(prompts, 'pipe.txt')]);
    await expect(read('pipe.txt')).rejects.toThrow('pipe.txt is no file');
  });

  // Nobody is kept from reading who is root, or where there are no such permissions.
  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'that may not be read name no path of the host',
    async () => {
      writeFileSync(join(prompts, 'a.txt'), 'text');
      chmodSync(join(prompts, 'a.txt'), 0);
      await expect(read('a.txt')).rejects.toThrow(/^a\.txt cannot be read \(EACCES\)$/);
    },
  );
});
