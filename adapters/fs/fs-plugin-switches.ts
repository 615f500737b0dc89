import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../src/lib/parse-json.ts';
import type { PluginSwitches } from '../../src/ports/plugin-switches.ts';
import { ToolName } from '../../src/protocol/names.ts';
import { makeDirectory } from './make-directory.ts';
import { replaceFile } from './replace-file.ts';

const ENDING = '.json';

/**
 * A file for each plugin that an operator has switched, `{"enabled": false, …}`. It appears whole, and two servers on
 * one directory cannot undo each other's words about different plugins. A file that says nothing clear, or cannot be
 * read, means "off" for its plugin alone.
 */
export const createFsPluginSwitches = async (directory: string, now: () => number): Promise<PluginSwitches> => {
  await makeDirectory(directory, 0o700);
  return {
    read: async () => {
      const files = (await readdir(directory)).filter((file) => file.endsWith(ENDING));
      const names = files.map((file) => file.slice(0, -ENDING.length)).filter(isToolName);
      const words = await Promise.all(
        names.map(async (name) => {
          const text = await readFile(join(directory, name + ENDING), 'utf8').catch(nullWhenGone);
          return text === null ? [] : [[name, saysOn(text)] as const];
        }),
      );
      return new Map(words.flat());
    },
    set: async (name, enabled, by) => {
      // A name becomes a path here, so it is looked at here too.
      if (!isToolName(name)) throw new TypeError('the name of a plugin that is switched must be that of a tool');
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

const isToolName = (name: string): boolean => ToolName.safeParse(name).success;

/** What is there and cannot be read is no word, and so not clear. */
const nullWhenGone = (error: unknown): string | null =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';

/** A file of the server's own, of one level. */
const BOUNDS = { jsonDepth: 2, jsonNodes: 16 };

const saysOn = (text: string): boolean => {
  const parsed = parseJson(text, BOUNDS);
  return parsed.ok && (parsed.value as { enabled?: unknown } | null)?.enabled === true;
};
