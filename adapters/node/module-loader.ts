import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TransportError, type PluginLocation } from '../../src/ports/transport.ts';
import type { DirectModule, ModuleLoader } from '../../src/transport/direct/direct-transport.ts';

/**
 * Imports in-process plugins. They run with all that the server may do, so a module is loaded only when its SHA-256
 * was listed by the operator, or when it lies in a directory that comes with the server.
 */
export const createModuleLoader = (trust: ModuleTrust): ModuleLoader => {
  const loaded = new Map<string, Promise<DirectModule>>();
  return {
    load: (plugin) => {
      const { name } = plugin.manifest;
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const loading = load(plugin, trust);
      loaded.set(name, loading);
      loading.catch(() => loaded.delete(name));
      return loading;
    },
  };
};

export type ModuleTrust = { readonly digests: ReadonlySet<string>; readonly bundledDirectories: readonly string[] };

/** Why a module may not be loaded, or null when it may. */
export const moduleRefusal = (plugin: PluginLocation, trust: ModuleTrust): string | null => {
  const path = modulePath(plugin);
  if (path === null) return 'it has no module file';
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return `its module ${plugin.manifest.entryPoint.type === 'module' ? plugin.manifest.entryPoint.file : ''} cannot be read`;
  }
  if (trust.bundledDirectories.some((directory) => plugin.directory?.startsWith(directory))) return null;
  const digest = createHash('sha256').update(bytes).digest('hex');
  return trust.digests.has(digest)
    ? null
    : `its module runs inside the server and is not trusted; to trust it, add its SHA-256 ${digest} to VCP_TRUSTED_MODULES`;
};

const load = async (plugin: PluginLocation, trust: ModuleTrust): Promise<DirectModule> => {
  const refusal = moduleRefusal(plugin, trust);
  const path = modulePath(plugin);
  if (refusal !== null || path === null)
    throw new TransportError('FORBIDDEN', `the plugin cannot be loaded: ${refusal}`);
  const module = (await import(pathToFileURL(await realpath(path)).href).catch((error: unknown) => {
    throw new TransportError(
      'INTERNAL_ERROR',
      `the plugin's module failed to load: ${error instanceof Error ? error.message : String(error)}`,
    );
  })) as Partial<DirectModule>;
  if (typeof module.processToolCall !== 'function') {
    throw new TransportError('INTERNAL_ERROR', "the plugin's module does not export processToolCall(args, context)");
  }
  return module as DirectModule;
};

const modulePath = ({ manifest, directory }: PluginLocation): string | null =>
  manifest.entryPoint.type === 'module' && directory !== null ? join(directory, manifest.entryPoint.file) : null;
