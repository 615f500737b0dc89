import { accessSync, constants, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../src/lib/message-of.ts';
import { TransportError, type PluginLocation } from '../../src/ports/transport.ts';
import type { PluginManifest, PluginType } from '../../src/protocol/manifest.ts';
import type { DirectModule, ModuleLoader } from '../../src/transport/direct/direct-transport.ts';
import { messageProcessor, type MessageProcessor } from '../../src/transport/direct/message-processor.ts';
import { guardModules, type TrustedFiles } from './plugins/guard-modules.ts';
import { importAnew } from './plugins/import-anew.ts';
import { readModuleFiles } from './plugins/module-files.ts';

export type ModuleTrust = {
  readonly digests: ReadonlySet<string>;
  readonly bundledDirectories: readonly string[];
  /** As many files as a trusted module may be made of. */
  readonly maxFiles: number;
};

/** A loader that also tells what it has in memory. */
export type NodeModuleLoader = ModuleLoader & {
  /** Whether this version of the plugin is loaded, from a module that is still trusted: it needs its file no more. */
  isLoaded(plugin: PluginLocation): boolean;
};

type Loaded = { readonly module: Promise<DirectModule>; readonly digest: string | null; isReady: boolean };

/** What a module of each type must export, and with which parameters; all others export `processToolCall`. */
const ENTRIES: Partial<Record<PluginType, readonly [name: string, parameters: string]>> = {
  service: ['initialize', 'context'],
  messagePreprocessor: ['processMessages', 'messages, context'],
};

/**
 * Imports in-process plugins. They run with all that the server may do, so a module is loaded only when the SHA-256 of
 * all that it can import was listed by the operator, or when it comes with the server. Each version of a plugin, told
 * apart by its manifest object, keeps the module that it was first loaded with.
 */
export const createModuleLoader = (trust: ModuleTrust): NodeModuleLoader => {
  const loaded = new WeakMap<object, Loaded>();
  /** Paths that were imported: the runtime would give the same module again, whatever is in the file by now. */
  const imported = new Set<string>();

  const load = async ({ path, folder, files }: Loadable, manifest: PluginManifest): Promise<DirectModule> => {
    const isFirst = !imported.has(path);
    imported.add(path);
    if (files !== null) guardModules(folder, files);
    const importing = isFirst ? import(pathToFileURL(path).href) : importAnew(path, folder);
    const module = (await importing.catch((error: unknown) => {
      throw new TransportError('INTERNAL_ERROR', `the plugin's module failed to load: ${messageOf(error)}`);
    })) as Partial<DirectModule & MessageProcessor>;
    const [needed, parameters] = ENTRIES[manifest.pluginType] ?? ['processToolCall', 'args, context'];
    if (typeof (module as Record<string, unknown>)[needed] !== 'function') {
      throw new TransportError('INTERNAL_ERROR', `the plugin's module does not export ${needed}(${parameters})`);
    }
    return manifest.pluginType === 'messagePreprocessor'
      ? messageProcessor(module as MessageProcessor)
      : (module as DirectModule);
  };

  return {
    load: (plugin) => {
      const known = loaded.get(plugin.manifest);
      if (known !== undefined) return known.module;
      const judged = judge(plugin, trust);
      if ('refusal' in judged) {
        const message = `the plugin cannot be loaded: ${judged.refusal}`;
        return Promise.reject(new TransportError('FORBIDDEN', message));
      }
      const module = load(judged, plugin.manifest);
      // One that failed stays: the runtime keeps the failure of a module as it keeps the module.
      const kept: Loaded = { module, digest: judged.digest, isReady: false };
      loaded.set(plugin.manifest, kept);
      module.then(
        () => (kept.isReady = true),
        () => undefined,
      );
      return module;
    },
    isLoaded: (plugin) => {
      const known = loaded.get(plugin.manifest);
      return known?.isReady === true && (known.digest === null || trust.digests.has(known.digest));
    },
  };
};

/** Why a module may not be loaded, or null when it may. */
export const moduleRefusal = (plugin: PluginLocation, trust: ModuleTrust): string | null => {
  const judged = judge(plugin, trust);
  return 'refusal' in judged ? judged.refusal : null;
};

/** `path` and `folder` are real. `digest` and `files` are what it is trusted by; null for one that comes with the server. */
type Loadable = {
  readonly path: string;
  readonly folder: string;
  readonly digest: string | null;
  readonly files: TrustedFiles | null;
};

const judge = (
  { manifest, directory }: PluginLocation,
  trust: ModuleTrust,
): Loadable | { readonly refusal: string } => {
  if (manifest.entryPoint.type !== 'module' || directory === null) return { refusal: 'it has no module file' };
  const { file } = manifest.entryPoint;
  try {
    const folder = realpathSync(directory);
    const path = realpathSync(join(directory, file));
    accessSync(path, constants.R_OK);
    if (trust.bundledDirectories.some((bundled) => `${directory}${sep}`.startsWith(bundled)))
      return { path, folder, digest: null, files: null };
    if (!path.startsWith(folder + sep))
      return { refusal: `its module ${file} is a link out of its folder; put the file itself there` };
    const read = readModuleFiles(folder, path, trust.maxFiles);
    if (read === null)
      return { refusal: `its folder has more than ${trust.maxFiles} files that its module could import` };
    const { files, digest } = read;
    if (trust.digests.has(digest)) return { path, folder, digest, files };
    const whose = files.size === 1 ? '' : ` (of the ${files.size} files that it can import)`;
    return {
      refusal: `its module runs inside the server and is not trusted; to trust it, add its SHA-256 ${digest} to VCP_TRUSTED_MODULES${whose}`,
    };
  } catch {
    return { refusal: `its module ${file} cannot be read` };
  }
};
