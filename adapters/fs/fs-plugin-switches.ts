import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginSwitches } from '../../src/ports/plugin-switches.ts';
import { makeDirectory } from './make-directory.ts';

const ENDING = '.json';

/**
 * A file for each plugin that an operator has switched, `{"enabled": false, …}`. It appears whole, and two servers on
 * one directory cannot undo each other's words about different plugins. A file that says nothing clear means "off".
 */
export const createFsPluginSwitches = async (directory: string, now: () => number): Promise<PluginSwitches> => {
  await makeDirectory(directory, 0o700);
  return {
    read: async () => {
      const names = (await readdir(directory)).filter((name) => name.endsWith(ENDING) && !name.startsWith('.'));
      const words = await Promise.all(
        names.map(async (name) => {
          const text = await readFile(join(directory, name), 'utf8').catch(nullWhenGone);
          return text === null ? [] : [[name.slice(0, -ENDING.length), saysOn(text)] as const];
        }),
      );
      return new Map(words.flat());
    },
    set: async (name, enabled, by) => {
      const path = join(directory, name + ENDING);
      if (enabled === null) {
        await rm(path, { force: true });
        return;
      }
      const written = join(directory, `.${randomUUID()}`);
      try {
        const file = await open(written, 'wx', 0o600);
        try {
          const changedAt = new Date(now()).toISOString();
          await file.writeFile(`${JSON.stringify({ enabled, changedAt, changedBy: by })}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(written, path);
      } finally {
        await rm(written, { force: true });
      }
    },
  };
};

const nullWhenGone = (error: unknown): null => {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
};

const saysOn = (text: string): boolean => {
  try {
    return (JSON.parse(text) as { enabled?: unknown } | null)?.enabled === true;
  } catch {
    return false;
  }
};
