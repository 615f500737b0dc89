import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Limits } from '../../../src/lib/limits.ts';
import type { ModuleTrust } from '../module-loader.ts';
import { readPluginDirectories } from '../read-plugin-directories.ts';
import { BANNER, bundleWorker, PARTS } from './bundle-worker.ts';
import type { EdgePlugin } from './edge-plugin.ts';
import { createJudgeCode } from './judge-code.ts';
import { judgeEdgePlugin } from './judge-edge-plugin.ts';
import { writeWranglerFile } from './wrangler-file.ts';

export type EdgeBuildOptions = {
  /** Directories that hold plugins. */
  readonly pluginDirectories: readonly string[];
  readonly outDirectory: string;
  /** Directory of the server's own files. */
  readonly root: string;
  readonly version: string;
  readonly limits: Limits;
  readonly trust: ModuleTrust;
};

export type EdgeBuild = {
  readonly directory: string;
  /** Whether wrangler.toml was there before, and was left alone. */
  readonly keptSettings: boolean;
  readonly served: readonly string[];
  readonly refused: readonly { readonly name: string | null; readonly location: string; readonly reason: string }[];
  /** Of the program, without the modules of guests. */
  readonly scriptBytes: number;
  readonly scriptGzipBytes: number;
  readonly guestBytes: number;
};

/** The folder of the modules of guests. */
const GUESTS = 'guests';

/** Nothing was written; the message says why, for the user. */
export class EdgeBuildFault extends Error {
  override readonly name = 'EdgeBuildFault';
}

/** Writes the folder that is deployed: the program, the modules of its guests, and the settings of Cloudflare's tools. */
export const buildEdge = async (options: EdgeBuildOptions): Promise<EdgeBuild> => {
  const { root, version, limits, trust } = options;
  const directory = resolve(options.outDirectory);
  await refuseForeignFolder(directory);
  const roots = options.pluginDirectories.map((path) => resolve(path));
  const found = await readPluginDirectories(roots, limits.manifestBytes);
  const judgeCode = createJudgeCode(limits, trust);
  const plugins: EdgePlugin[] = [];
  for (const manifest of found.manifests) {
    const plugin = await judgeEdgePlugin(manifest, judgeCode);
    // Where its folder lies on this machine is nobody's business who asks the worker.
    plugins.push({ ...plugin, location: shownPlace(roots, plugin.location) });
  }

  // Values of plugins' configuration are in it.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const folder of [GUESTS, PARTS]) await rm(join(directory, folder), { recursive: true, force: true });
  await mkdir(join(directory, GUESTS));
  const guests = plugins.flatMap((plugin) =>
    plugin.code?.type === 'guest' ? [{ file: guestFile(plugin), bytes: plugin.code.guest.bytes }] : [],
  );
  for (const { file, bytes } of guests) await writeFile(join(directory, file), bytes);

  const bundle = await bundleWorker({ root, version, plugins, fileOf: guestFile, directory, guests: GUESTS });
  await mkdir(join(directory, PARTS), { recursive: true });
  for (const { path, bytes } of bundle.files) await writeFile(path, bytes);

  const settings = join(directory, 'wrangler.toml');
  const keptSettings = existsSync(settings);
  const variables = { VCP_LIMIT_WASM_MEMORY_PAGES: String(limits.wasmMemoryPages) };
  if (!keptSettings) await writeFile(settings, writeWranglerFile('vcp-runtime', variables));

  const served = plugins.flatMap(({ name, refusal }) => (refusal === null && name !== null ? [name] : []));
  const refused = [
    ...found.unreadable,
    ...plugins.flatMap(({ name, location, refusal }) =>
      refusal === null ? [] : [{ name, location, reason: refusal }],
    ),
  ].map(({ name, location, reason }) => ({ name, location, reason }));
  return {
    directory,
    keptSettings,
    served,
    refused,
    scriptBytes: bundle.bytes,
    scriptGzipBytes: bundle.gzipBytes,
    guestBytes: guests.reduce((total, { bytes }) => total + bytes.length, 0),
  };
};

/** Parts of an earlier build are removed, so that it must have been one: somebody may have files of these names. */
const refuseForeignFolder = async (directory: string): Promise<void> => {
  const entries = await readdir(directory).catch(() => []);
  if (entries.every((name) => name === 'wrangler.toml' || name.startsWith('.'))) return;
  const program = await readFile(join(directory, 'worker.js'), 'utf8').catch(() => '');
  if (!program.startsWith(BANNER))
    throw new EdgeBuildFault(`${directory} holds files that are not of such a build; name another folder with --out`);
};

/** The directory that holds the plugin, and its folder. */
const shownPlace = (roots: readonly string[], location: string): string => {
  const root = roots.find((path) => location.startsWith(path + sep));
  return root === undefined ? basename(location) : relative(dirname(root), location).replaceAll(sep, '/');
};

/** A name that is in no manifest twice, also where two plugins have one. */
const guestFile = ({ code }: EdgePlugin): string =>
  `${GUESTS}/${code?.type === 'guest' ? code.guest.digest.slice(0, 16) : 'none'}.wasm`;
