import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';

/** What Node takes for code, or for a part of it. */
const IMPORTABLE = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.wasm', '.node']);

/** Files of a plugin's folder that are for the runtime and for tests, and that its module may not import. */
const NO_CODE = new Set([MANIFEST_FILE, 'contract-cases.json']);

export type ModuleFiles = {
  /** SHA-256 by absolute path, of all that the module may import. */
  readonly files: ReadonlyMap<string, string>;
  /** What an operator trusts the module by. */
  readonly digest: string;
};

/**
 * The files that a module in this folder may import, with one digest over them: the SHA-256 of the file where there is
 * but one, and else of their list as `sha256sum` prints it, in order of path. `folder` and `entry` are real, absolute
 * paths; links are not followed, as Node imports what they lead to. Null when there are more than `maxFiles`; raises
 * what the file system does.
 */
export const readModuleFiles = (folder: string, entry: string, maxFiles: number): ModuleFiles | null => {
  const paths = new Set([entry]);
  const folders = [folder];
  for (const each of folders) {
    for (const found of readdirSync(each, { withFileTypes: true })) {
      const path = join(each, found.name);
      if (found.isDirectory()) folders.push(path);
      else if (found.isFile() && IMPORTABLE.has(extname(found.name)) && !NO_CODE.has(relative(folder, path)))
        paths.add(path);
      if (paths.size > maxFiles) return null;
    }
  }
  const files = new Map([...paths].map((path) => [path, sha256(readFileSync(path))]));
  const list = [...files].map(([path, digest]) => ({ digest, name: relative(folder, path).split(sep).join('/') }));
  const lines = list.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ digest, name }) => `${digest}  ${name}\n`);
  return { files, digest: list.length === 1 ? (files.get(entry) as string) : sha256(lines.join('')) };
};

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
