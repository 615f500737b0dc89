import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/** Where the files of a build may lie. */
export type SourceFolders = {
  /** Whether the file, wherever links lead, lies in one of them. False too where there is no such file. */
  has(file: string): boolean;
};

/**
 * The plugin's own folder, the kit, and the `node_modules` above either. A stranger's source may name any file, or link to
 * it, and what is bundled can be sent away by the plugin: an `import` of `../../.docker/config.json` would do.
 */
export const sourceFolders = (directory: string, kit: string): SourceFolders => {
  const roots = [directory, kit].flatMap((folder) => {
    const real = realpathSync(folder);
    return [real, ...ancestors(real).flatMap(packagesOf)];
  });
  return {
    has: (file) => {
      try {
        const real = realpathSync(file);
        return roots.some((root) => real.startsWith(root + sep));
      } catch {
        return false;
      }
    },
  };
};

const ancestors = (folder: string): string[] => {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...ancestors(above)];
};

/** It may be a link, as in working copies that share their packages, but only to a folder of that name. */
const packagesOf = (folder: string): string[] => {
  try {
    const real = realpathSync(join(folder, 'node_modules'));
    return basename(real) === 'node_modules' ? [real] : [];
  } catch {
    return [];
  }
};
