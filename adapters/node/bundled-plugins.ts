import { resolve } from 'node:path';

/** The absolute directories of the plugins that come with the server, which lies at `root`. */
export const bundledPlugins = (root: string): string[] =>
  ['plugins-stdio', 'plugins-direct', 'plugins-wasm'].map((folder) => resolve(root, folder));
