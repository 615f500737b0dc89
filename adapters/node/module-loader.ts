import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../src/lib/message-of.ts';
import { TransportError, type PluginLocation } from '../../src/ports/transport.ts';
import type { DirectModule, ModuleLoader } from '../../src/transport/direct/direct-transport.ts';
import { importAnew } from './plugins/import-anew.ts';

export type ModuleTrust = { readonly digests: ReadonlySet<string>; readonly bundledDirectories: readonly string[] };

/** A loader that also tells what it has in memory. */
export type NodeModuleLoader = ModuleLoader & {
  /** Whether this version of the plugin is loaded, from a module that is still trusted: it needs its file no more. */
  isLoaded(plugin: PluginLocation): boolean;
};

type Loaded = { readonly module: Promise<DirectModule>; readonly digest: string | null; isReady: boolean };

/**
 * Imports in-process plugins. They run with all that the server may do, so a module is loaded only when its SHA-256
 * was listed by the operator, or when it lies in a directory that comes with the server. Each version of a plugin, told
 * apart by its manifest object, keeps the module that it was first loaded with.
 */
export const createModuleLoader = (trust: ModuleTrust): NodeModuleLoader => {
  const loaded = new WeakMap<object, Loaded>();
  /** Paths that were imported: the runtime would give the same module again, whatever is in the file by now. */
  const imported = new Set<string>();

  const load = async (path: string): Promise<DirectModule> => {
    const real = await realpath(path);
    const isFirst = !imported.has(real);
    imported.add(real);
    const importing = isFirst ? import(pathToFileURL(real).href) : importAnew(real, dirname(real));
    const module = (await importing.catch((error: unknown) => {
      throw new TransportError('INTERNAL_ERROR', `the plugin's module failed to load: ${messageOf(error)}`);
    })) as Partial<DirectModule>;
    if (typeof module.processToolCall !== 'function') {
      throw new TransportError('INTERNAL_ERROR', "the plugin's module does not export processToolCall(args, context)");
    }
    return module as DirectModule;
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
      const module = load(judged.path);
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

/** `digest` is the one that the module is trusted by; null for one that comes with the server. */
type Judged = { readonly path: string; readonly digest: string | null } | { readonly refusal: string };

const judge = ({ manifest, directory }: PluginLocation, trust: ModuleTrust): Judged => {
  if (manifest.entryPoint.type !== 'module' || directory === null) return { refusal: 'it has no module file' };
  const path = join(directory, manifest.entryPoint.file);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return { refusal: `its module ${manifest.entryPoint.file} cannot be read` };
  }
  if (trust.bundledDirectories.some((bundled) => `${directory}${sep}`.startsWith(bundled)))
    return { path, digest: null };
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (trust.digests.has(digest)) return { path, digest };
  return {
    refusal: `its module runs inside the server and is not trusted; to trust it, add its SHA-256 ${digest} to VCP_TRUSTED_MODULES`,
  };
};
