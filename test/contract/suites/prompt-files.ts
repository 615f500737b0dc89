import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PromptFiles } from '../../../src/ports/prompt-files.ts';

export type PromptFilesUnderTest = {
  readonly files: PromptFiles;
  /** Makes or replaces a file, by its path in the directory of prompts. */
  put(path: string, text: string): Promise<void>;
  close(): Promise<void>;
};

/** What every `PromptFiles` does. `maxBytes` is what a file may have. */
export const describePromptFiles = (name: string, open: (maxBytes: number) => Promise<PromptFilesUnderTest>): void => {
  describe(`prompt files: ${name}`, () => {
    let under: PromptFilesUnderTest;
    beforeEach(async () => {
      under = await open(100);
    });
    afterEach(() => under.close());

    it('gives the text of a file, by its path', async () => {
      await under.put('system.txt', 'Be kind.');
      await under.put('agents/小雪.txt', '我是小雪。');
      expect(await under.files.read('system.txt')).toBe('Be kind.');
      expect(await under.files.read('agents/小雪.txt')).toBe('我是小雪。');
    });

    it('has null for a file that is not there', async () => {
      expect(await under.files.read('gone.txt')).toBeNull();
      expect(await under.files.read('no/such/folder.txt')).toBeNull();
    });

    it('gives a changed file as it is now', async () => {
      await under.put('a.txt', 'one');
      expect(await under.files.read('a.txt')).toBe('one');
      await under.put('a.txt', 'two');
      expect(await under.files.read('a.txt')).toBe('two');
    });

    it('refuses a file that is too large', async () => {
      await under.put('large.txt', '雪'.repeat(34));
      await expect(under.files.read('large.txt')).rejects.toThrow(/large\.txt has more than 100 bytes/);
    });

    it.each(['../a.txt', '/a.txt', 'a/../../b.txt', 'a\\b.txt', 'C:a.txt', '.', 'a//b.txt', 'a\0.txt', ''])(
      'refuses the path %j',
      async (path) => {
        await expect(under.files.read(path)).rejects.toThrow(/a file is named by its path inside the directory/);
      },
    );
  });
};
