import { mkdir, rm } from 'node:fs/promises';
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
    directoryFor: async ({ name, resourceRoot }, invocationId) => {
      const kept = resourceRoot !== undefined;
      const directory = kept ? join(pluginDataRoot, name, resourceRoot) : join(root, invocationId);
      await mkdir(directory, { recursive: true });
      if (!kept) own.add(invocationId);
      return directory;
    },
    release: async (invocationId) => {
      if (own.delete(invocationId)) await rm(join(root, invocationId), { recursive: true, force: true });
    },
  };
};
