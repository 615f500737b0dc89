import { sep } from 'node:path';
import type { Limits } from '../../src/lib/limits.ts';
import type { ModuleTrust } from './module-loader.ts';

/** The modules that may run inside the server: those whose digests `listed` gives now, and those that come with it. */
export const moduleTrust = (
  listed: () => readonly string[] | undefined,
  bundled: readonly string[],
  { pluginFiles }: Pick<Limits, 'pluginFiles'>,
): ModuleTrust => ({
  get digests() {
    return new Set(listed());
  },
  bundledDirectories: bundled.map((directory) => directory + sep),
  maxFiles: pluginFiles,
});
