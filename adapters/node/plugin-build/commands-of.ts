import { join } from 'node:path';
import { z } from 'zod';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';
import { readJsonFile } from './read-json-file.ts';

const Commands = z.object({
  capabilities: z.object({ invocationCommands: z.array(z.object({ commandIdentifier: z.string() })) }),
});

/** The commands that the manifest names; none when it cannot be read, which `vcp plugin check` judges. */
export const commandsOf = async (directory: string): Promise<string[]> => {
  const manifest: unknown = await readJsonFile(join(directory, MANIFEST_FILE)).catch(() => null);
  const read = Commands.safeParse(manifest);
  return read.success ? read.data.capabilities.invocationCommands.map((command) => command.commandIdentifier) : [];
};
