import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallWorkspace } from '../../src/ports/call-workspace.ts';
import { removeAbandoned } from '../fs/remove-abandoned.ts';

/**
 * A directory a call under `root`, removed after it; or, for a plugin that keeps its output (`resourceRoot`), that
 * folder of its data directory, which stays.
 */
export const createCallWorkspace = async (root: string, pluginDataRoot: string): Promise<CallWorkspace> => {
  await removeAbandoned(root);
  const own = new Set<string>();
  return {
    directoryFor: async ({ name, resourceRoot }, callName) => {
      const kept = resourceRoot !== undefined;
      const directory = kept ? join(pluginDataRoot, name, resourceRoot) : join(root, callName);
      await makeDirectory(directory);
      if (!kept) own.add(callName);
      return directory;
    },
    release: async (callName) => {
      if (own.delete(callName)) await removeDirectory(join(root, callName));
    },
  };
};

/** Mostly the parent is there and the name is new, which costs one step instead of a look at every parent. */
const makeDirectory = async (directory: string): Promise<void> => {
  try {
    await mkdir(directory);
  } catch {
    await mkdir(directory, { recursive: true });
  }
};

/** Mostly the directory is still empty. */
const removeDirectory = async (directory: string): Promise<void> => {
  try {
    await rmdir(directory);
  } catch {
    await rm(directory, { recursive: true, force: true });
  }
};
