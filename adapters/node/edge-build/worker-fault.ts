import { build, type Message } from 'esbuild';
import { BUNDLING } from './bundling.ts';

/** What of Node's library a module in a worker may import: what `nodejs_compat` really does there. */
const OFFERED = new Set(
  [
    'assert',
    'async_hooks',
    'buffer',
    'crypto',
    'events',
    'path',
    'punycode',
    'querystring',
    'stream',
    'string_decoder',
    'url',
    'util',
    'zlib',
  ].map((name) => `node:${name}`),
);

/** Why a module cannot run inside a worker, or null: it is bundled for a look at what it imports. */
export const workerFault = async (path: string): Promise<string | null> => {
  try {
    const { metafile } = await build({ ...BUNDLING, entryPoints: [path], write: false, outdir: '.', metafile: true });
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    );
    const missing = imported.map(({ path: name }) => withScheme(name)).find((name) => !isOffered(name));
    return missing === undefined ? null : `its module imports ${missing}, which Workers have not got`;
  } catch (error) {
    const [first] = (error as { errors?: Message[] }).errors ?? [];
    return `its module cannot be bundled: ${first?.text ?? String(error)}`;
  }
};

const withScheme = (name: string): string => (name.includes(':') ? name : `node:${name}`);

/** `node:stream/web` goes with `node:stream`. */
const isOffered = (name: string): boolean => OFFERED.has(name.split('/')[0] ?? name);
