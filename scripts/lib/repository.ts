import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The repository's root, whatever the current directory is. */
export const root = resolve(import.meta.dirname, '../..');

/** The JavaScript file behind a package's command, to be run with our own Node and without a shell. */
export function commandFile(packageName: string, command: string): string {
  const manifest = join(root, 'node_modules', packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> };
  const file = typeof bin === 'string' ? bin : bin[command];
  if (file === undefined) throw new Error(`${packageName} has no command ${command}`);
  return join(dirname(manifest), file);
}

const FOREIGN = new Set(['node_modules', '.git', '.toolchain', '.wrangler', 'data', 'coverage', 'dist']);

/** Our own files below `folder` (relative to the root, as are the results, with `/`). A folder that is not there is an error. */
export function listFiles(folder: string, extension: RegExp): string[] {
  const found: string[] = [];
  const walk = (relative: string): void => {
    const entries = readdirSync(join(root, relative), { withFileTypes: true });
    for (const entry of entries) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!FOREIGN.has(entry.name)) walk(path);
      } else if (extension.test(entry.name)) {
        found.push(path);
      }
    }
  };
  walk(folder);
  return found.toSorted();
}
