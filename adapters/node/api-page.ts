import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StaticAsset, StaticAssets } from '../../src/ports/static-assets.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** The files of the page at `/docs`: our own, and the viewer that npm brought. Each is read when it is first asked for. */
export const readApiPage = (root: string): StaticAssets => {
  const ours = (name: string) => join(root, 'api-page', name);
  const files = new Map<string, { readonly path: () => string; readonly mediaType: string }>([
    ['page.html', { path: () => ours('page.html'), mediaType: HTML }],
    ['page.css', { path: () => ours('page.css'), mediaType: STYLE }],
    ['page.js', { path: () => ours('page.js'), mediaType: SCRIPT }],
    [
      'swagger-ui.css',
      { path: () => fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')), mediaType: STYLE },
    ],
    [
      'swagger-ui-bundle.js',
      { path: () => fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')), mediaType: SCRIPT },
    ],
  ]);
  const read = new Map<string, Promise<StaticAsset>>();

  const load = async ({ path, mediaType }: { path: () => string; mediaType: string }): Promise<StaticAsset> => {
    const bytes = new Uint8Array(await readFile(path()));
    return { bytes, mediaType, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
  };

  return {
    get: async (name) => {
      const file = files.get(name);
      if (file === undefined) return null;
      let asset = read.get(name);
      if (asset === undefined) {
        asset = load(file);
        read.set(name, asset);
        // What could not be read is tried again by the next who asks.
        asset.catch(() => read.delete(name));
      }
      return await asset;
    },
  };
};
