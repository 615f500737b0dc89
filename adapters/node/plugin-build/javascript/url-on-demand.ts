import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { JAVASCRIPT_KIT } from './engine.ts';

const KIT_FILE = join(JAVASCRIPT_KIT, 'runtime', 'url.ts');
const PACKAGE = 'whatwg-url-minimum';

/** Gives a plugin the globals URL and URLSearchParams when it, or a library of it, speaks of them; else they cost bytes. */
export const urlOnDemand: Plugin = {
  name: 'vcp-url-on-demand',
  setup(build) {
    build.initialOptions.inject = [...(build.initialOptions.inject ?? []), KIT_FILE];
    build.onResolve({ filter: /[\\/]url\.ts$/ }, ({ path }) =>
      path === KIT_FILE ? { path, sideEffects: false } : null,
    );
    build.onResolve({ filter: /^whatwg-url-minimum$/ }, async ({ kind, resolveDir, pluginData }) => {
      if (pluginData === PACKAGE) return null; // our own question
      const { path, errors } = await build.resolve(PACKAGE, { kind, resolveDir, pluginData: PACKAGE });
      return errors.length > 0 ? { errors } : { path, sideEffects: false };
    });
  },
};
