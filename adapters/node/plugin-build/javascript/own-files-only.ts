import type { Plugin } from 'esbuild';
import { JAVASCRIPT_KIT } from './engine.ts';
import { sourceFolders } from '../source-folders.ts';

/** Refuses to bundle a file that is neither the plugin's, nor the kit's, nor of an installed package. */
export const ownFilesOnly = (directory: string): Plugin => ({
  name: 'vcp-own-files-only',
  setup(build) {
    const folders = sourceFolders(directory, JAVASCRIPT_KIT);
    build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
      if (folders.has(path)) return null;
      const text = `"${path}" is imported and lies outside of the plugin's folder; copy it there, or install it as a package`;
      return { errors: [{ text }] };
    });
  },
});
