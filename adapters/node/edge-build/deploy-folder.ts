import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BANNER, GUESTS, PARTS, type WorkerBundle } from './bundle-worker.ts';
import { writeWranglerFile, type WranglerSettings } from './wrangler-file.ts';

/** Nothing was written; the message says why, for the user. */
export class EdgeBuildFault extends Error {
  override readonly name = 'EdgeBuildFault';
}

/** Parts of an earlier build are removed, so that it must have been one: somebody may have files of these names. */
export const refuseForeignFolder = async (directory: string): Promise<void> => {
  const entries = await readdir(directory).catch(() => []);
  if (entries.every((name) => name === 'wrangler.toml' || name.startsWith('.'))) return;
  const program = await readFile(join(directory, 'worker.js'), 'utf8').catch(() => '');
  if (!program.startsWith(BANNER))
    throw new EdgeBuildFault(`${directory} holds files that are not of such a build; name another folder with --out`);
};

/** Makes the folder, without the parts of an earlier build. Values of plugins' configuration may be in it. */
export const emptyDeployFolder = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const folder of [GUESTS, PARTS]) await rm(join(directory, folder), { recursive: true, force: true });
};

export const SETTINGS_FILE = 'wrangler.toml';

/** When what has had its time is removed: not at the full hour, when everybody does. */
export const HOURLY = '17 * * * *';

/** Writes the program, and the settings unless there are some: then they stay as they are, and this says so. */
export const writeDeployFolder = async (
  { files }: WorkerBundle,
  directory: string,
  settings: WranglerSettings,
): Promise<boolean> => {
  await mkdir(join(directory, PARTS), { recursive: true });
  for (const { path, bytes } of files) await writeFile(path, bytes);
  const file = join(directory, SETTINGS_FILE);
  const areKept = existsSync(file);
  if (!areKept) await writeFile(file, writeWranglerFile(settings));
  return areKept;
};
