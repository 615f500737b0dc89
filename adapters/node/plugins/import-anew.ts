import { createRequire, registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MARK = 'vcp-version';
let versions = 0;
let isHooked = false;

/**
 * Imports a module that was imported before, and with it whatever it imports from its folder, as the files are now.
 * The runtime keeps modules by their address for as long as it lives, so every version gets addresses of its own, and
 * the old ones stay in memory.
 */
export const importAnew = (path: string, folder: string): Promise<unknown> => {
  if (!isHooked) passMarksOn();
  isHooked = true;
  versions += 1;
  // What is loaded by `require` is kept by its path alone.
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (file.startsWith(folder + sep)) delete cache[file];
  const address = pathToFileURL(path);
  address.searchParams.set(MARK, `${versions}:${folder}`);
  return import(address.href);
};

/** A module with a mark gives it to those that it imports from the same folder; packages are shared by all versions. */
const passMarksOn = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const from = context.parentURL === undefined ? null : URL.parse(context.parentURL);
      const mark = from?.searchParams.get(MARK) ?? null;
      if (mark === null || !resolved.url.startsWith('file:')) return resolved;
      const address = new URL(resolved.url);
      const file = fileURLToPath(address);
      const folder = mark.slice(mark.indexOf(':') + 1) + sep;
      if (!file.startsWith(folder) || file.includes(`${sep}node_modules${sep}`)) return resolved;
      address.searchParams.set(MARK, mark);
      return { ...resolved, url: address.href };
    },
  });
};
