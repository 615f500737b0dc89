import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { BUNDLING } from './bundling.ts';

export type WorkerBundle = {
  /** By absolute path. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  readonly bytes: number;
  /** Each file by itself, as strictly as it can be counted. */
  readonly gzipBytes: number;
  /** What it imports of the platform, and which of our files and libraries does so. */
  readonly platformImports: readonly { readonly module: string; readonly by: string }[];
};

/** What each file begins with, by which a later build knows the folder. */
export const BANNER = '// Written by "vcp edge build".';

/** The folder of the parts that are loaded when they are needed. */
export const PARTS = 'parts';

export type WorkerProgram = {
  /** The text of its first module. */
  readonly entry: string;
  /** Directory of the server's own files. */
  readonly root: string;
  /** Where its files would lie. */
  readonly directory: string;
};

/** The folder of the modules of guests. */
export const GUESTS = 'guests';

/** The program of a worker and its parts, as they would lie in a folder. Guests stay beside them, as they are. */
export const bundleWorker = async ({ entry, root, directory }: WorkerProgram): Promise<WorkerBundle> => {
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    stdin: { contents: entry, resolveDir: root, sourcefile: 'worker.js', loader: 'js' },
    external: [...BUNDLING.external, `./${GUESTS}/*`],
    banner: { js: BANNER },
    splitting: true,
    outdir: directory,
    entryNames: 'worker',
    chunkNames: `${PARTS}/[name]-[hash]`,
    metafile: true,
    write: false,
  });
  const imported = Object.entries(metafile.inputs).flatMap(([by, { imports }]) =>
    imports.filter(({ external }) => external === true).map(({ path }) => ({ module: path, by })),
  );
  return {
    files: outputFiles.map(({ path, contents }) => ({ path, bytes: contents })),
    bytes: sum(outputFiles.map(({ contents }) => contents.length)),
    gzipBytes: sum(outputFiles.map(({ contents }) => gzipSync(contents, { level: 9 }).length)),
    platformImports: imported.filter(({ module }) => !module.startsWith('./')),
  };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
