import { promptPathFault, type PromptFiles } from '../../src/ports/prompt-files.ts';

/** Prompts of a map, by path. */
export const createMemoryPromptFiles = (files: ReadonlyMap<string, string>, maxBytes: number): PromptFiles => ({
  read: async (path) => {
    const fault = promptPathFault(path);
    if (fault !== null) throw new Error(fault);
    const text = files.get(path) ?? null;
    if (text !== null && new TextEncoder().encode(text).byteLength > maxBytes)
      throw new Error(`${path} has more than ${maxBytes} bytes`);
    return text;
  },
});
