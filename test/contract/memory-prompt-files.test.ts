import { createMemoryPromptFiles } from '../../adapters/memory/memory-prompt-files.ts';
import { describePromptFiles } from './suites/prompt-files.ts';

describePromptFiles('memory', async (maxBytes) => {
  const texts = new Map<string, string>();
  return {
    files: createMemoryPromptFiles(texts, maxBytes),
    put: async (path, text) => void texts.set(path, text),
    close: () => Promise.resolve(),
  };
});
