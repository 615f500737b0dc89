import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { BUNDLING } from './bundling.ts';
import { DOCUMENTS, writeDocuments } from './worker-entry.ts';

export type WorkerBundle = {
  /** By absolute path. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** Of the program, without the documents that it hands out. */
  readonly bytes: number;
  /** Each file by itself, as strictly as it can be counted. */
  readonly gzipBytes: number;
  readonly documentGzipBytes: number;
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
    plugins: [...BUNDLING.plugins, documentsOf(root)],
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
  const isOfDocuments = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [
      resolve(path),
      entryPoint === ENTRY_OF_DOCUMENTS,
    ]),
  );
  const program = outputFiles.filter(({ path }) => isOfDocuments.get(path) === false);
  const documents = outputFiles.filter(({ path }) => isOfDocuments.get(path) === true);
  return {
    files: outputFiles.map(({ path, contents }) => ({ path, bytes: contents })),
    bytes: sum(program.map(({ contents }) => contents.length)),
    gzipBytes: gzipped(program),
    documentGzipBytes: gzipped(documents),
    platformImports: imported.filter(({ module }) => !module.startsWith('./')),
  };
};

/** The documents are no file of ours but a list of files. */
const documentsOf = (root: string): Plugin => ({
  name: 'documents',
  setup: (bundling) => {
    const filter = new RegExp(`^${DOCUMENTS}$`);
    bundling.onResolve({ filter }, ({ path }) => ({ path, namespace: 'documents' }));
    bundling.onLoad({ filter, namespace: 'documents' }, () => ({ contents: writeDocuments(root), resolveDir: root }));
  },
});

/** As esbuild names them. */
const ENTRY_OF_DOCUMENTS = `documents:${DOCUMENTS}`;

const gzipped = (files: readonly { readonly contents: Uint8Array }[]): number =>
  sum(files.map(({ contents }) => gzipSync(contents, { level: 9 }).length));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
