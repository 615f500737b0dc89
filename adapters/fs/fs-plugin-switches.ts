import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../src/lib/parse-json.ts';
import type { PluginSwitches } from '../../src/ports/plugin-switches.ts';
import { makeDirectory } from './make-directory.ts';
import { replaceFile } from './replace-file.ts';

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
      const changedAt = new Date(now()).toISOString();
      replaceFile(path, `${JSON.stringify({ enabled, changedAt, changedBy: by })}\n`);
    },
  };
};

const nullWhenGone = (error: unknown): null => {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
};

/** A file of the server's own, of one level. */
const BOUNDS = { jsonDepth: 2, jsonNodes: 16 };

const saysOn = (text: string): boolean => {
  const parsed = parseJson(text, BOUNDS);
  return parsed.ok && (parsed.value as { enabled?: unknown } | null)?.enabled === true;
};
