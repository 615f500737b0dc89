import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import type { BuildOptions, Plugin } from 'esbuild';

/** Messages in sixty languages, of which the server speaks one. */
const onlyEnglish: Plugin = {
  name: 'only English of zod',
  setup: (build) => {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, async ({ path, importer, resolveDir, kind }) => {
      if (!/[/\\]zod[/\\]/.test(importer)) return undefined;
      return await build.resolve(path.replace(/index\.js$/, 'en.js'), { importer, resolveDir, kind });
    });
  },
};

/** The compilers of zod, which make functions of text: a worker may not, and zod works without. */
const noGeneratedCode: Plugin = {
  name: 'no generated code',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]core[/\\](?:compile|doc)\.js$/ }, async ({ path }) => ({
      contents: withoutContent(await readFile(path, 'utf8')),
    }));
    // It tries whether functions can be made of text.
    build.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]core[/\\]util\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/const F = Function;\s*new F\(""\);/, 'throw new Error();'),
    }));
  },
};

/** A module with the same exports that nobody can use. */
const withoutContent = (source: string): string =>
  [...source.matchAll(/^export (?:async )?(?:class|const|function) (\w+)/gm)]
    .map(([, name]) => `export const ${name} = undefined;`)
    .join('\n');

/** Patterns of schemas are judged by the build, and nobody brings another schema to a worker. */
const patternsAreJudged: Plugin = {
  name: 'patterns are judged already',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]redos-detector[/\\]/ }, () => ({
      contents: 'export const isSafePattern = () => ({ safe: true });',
    }));
  },
};

/** A sound is stored as any other resource, without its duration: the parsers are as large as a tenth of the worker. */
const noDurations: Plugin = {
  name: 'no durations',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]resources[/\\]read-duration\.ts$/ }, () => ({
      contents: 'export const readDuration = async () => null;',
    }));
  },
};

/** How everything that runs in a worker is bundled: as for a browser, with what Node offers left to the platform. */
export const BUNDLING = {
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  minify: true,
  legalComments: 'none',
  logLevel: 'silent',
  conditions: ['workerd', 'worker', 'browser', 'import', 'module'],
  mainFields: ['browser', 'module', 'main'],
  external: ['node:*', 'cloudflare:*', ...builtinModules],
  plugins: [onlyEnglish, noGeneratedCode, patternsAreJudged, noDurations],
} satisfies BuildOptions;
