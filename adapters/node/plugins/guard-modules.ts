import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** SHA-256 by absolute path. */
export type TrustedFiles = ReadonlyMap<string, string>;

/** By the real folder of a plugin. The hooks of the runtime are for its whole process, and so is this. */
const guarded = new Map<string, TrustedFiles>();
let isHooked = false;

/**
 * From now on only these files are loaded from this folder, with the very bytes that were trusted, and what is loaded
 * from it imports no file from elsewhere: a digest says nothing about those.
 */
export const guardModules = (folder: string, files: TrustedFiles): void => {
  guarded.set(folder, files);
  if (!isHooked) watchLoading();
  isHooked = true;
};

const watchLoading = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const folder = folderOf(pathOf(context.parentURL));
      const path = pathOf(resolved.url);
      if (folder !== null && path !== null && !path.startsWith(folder + sep)) {
        throw new Error(
          `it imports "${specifier}", which is not in the plugin's folder, so that its trusted SHA-256 says nothing about it`,
        );
      }
      return resolved;
    },
    load: (url, context, next) => {
      const path = pathOf(url);
      const folder = folderOf(path);
      if (path === null || folder === null) return next(url, context);
      const loaded = next(url, context);
      // The bytes that run are looked at, not the file once more: it may have been changed since it was judged.
      const bytes = (loaded.source as string | Buffer | null | undefined) ?? readFileSync(path);
      if (createHash('sha256').update(bytes).digest('hex') !== guarded.get(folder)?.get(path)) {
        throw new Error(`${path.slice(folder.length + 1)} is not what was trusted by its SHA-256`);
      }
      return loaded;
    },
  });
};

const pathOf = (url: string | undefined): string | null => {
  const address = url === undefined ? null : URL.parse(url);
  return address?.protocol === 'file:' ? fileURLToPath(address) : null;
};

const folderOf = (path: string | null): string | null =>
  path === null ? null : (guarded.keys().find((folder) => path.startsWith(folder + sep)) ?? null);
