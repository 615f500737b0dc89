import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { EVERY_MINUTE } from '../../cloudflare/upkeep.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import type { ModuleTrust } from '../module-loader.ts';
import { readPluginDirectories } from '../read-plugin-directories.ts';
import { bundleWorker, GUESTS } from './bundle-worker.ts';
import { emptyDeployFolder, refuseForeignFolder, writeDeployFolder, HOURLY } from './deploy-folder.ts';
import type { EdgePlugin } from './edge-plugin.ts';
import { createJudgeCode } from './judge-code.ts';
import { judgeEdgePlugin } from './judge-edge-plugin.ts';
import { writeWorkerEntry } from './worker-entry.ts';

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

  await emptyDeployFolder(directory);
  await mkdir(join(directory, GUESTS));
  const guests = plugins.flatMap((plugin) =>
    plugin.code?.type === 'guest' ? [{ file: guestFile(plugin), bytes: plugin.code.guest.bytes }] : [],
  );
  for (const { file, bytes } of guests) await writeFile(join(directory, file), bytes);

  const entry = writeWorkerEntry({ root, version, plugins, fileOf: guestFile });
  const bundle = await bundleWorker({ entry, root, directory });
  const keptSettings = await writeDeployFolder(bundle, directory, {
    name: 'vcp-runtime',
    bucket: 'vcp-resources',
    database: 'vcp',
    secrets: ['VCP_API_KEY', 'VCP_SIGNING_KEY'],
    variables: { VCP_LIMIT_WASM_MEMORY_PAGES: String(limits.wasmMemoryPages) },
    crons: [EVERY_MINUTE, HOURLY],
    upkeep:
      'The first runs what is scheduled, ends overdue tasks and makes approved calls; any other also removes what has had its time.',
  });

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

/** The directory that holds the plugin, and its folder. */
const shownPlace = (roots: readonly string[], location: string): string => {
  const root = roots.find((path) => location.startsWith(path + sep));
  return root === undefined ? basename(location) : relative(dirname(root), location).replaceAll(sep, '/');
};

/** A name that is in no manifest twice, also where two plugins have one. */
const guestFile = ({ code }: EdgePlugin): string =>
  `${GUESTS}/${code?.type === 'guest' ? code.guest.digest.slice(0, 16) : 'none'}.wasm`;
