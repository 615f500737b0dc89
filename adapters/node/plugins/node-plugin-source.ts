import { readFile, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { createDeadline, raceWithSignal } from '../../../src/lib/deadline.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { PluginManifest } from '../../../src/protocol/manifest.ts';
import { compilePlugin, type CompiledPlugin, type FoundManifest } from '../../../src/registry/compile-plugin.ts';
import { candidateOf, type PluginCandidate } from '../../../src/registry/plugin-candidate.ts';
import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import type { PluginSource } from '../../../src/runtime/plugin-service.ts';
import type { PluginLocation } from '../../../src/ports/transport.ts';
import type { ModuleTrust, NodeModuleLoader } from '../module-loader.ts';
import { MANIFEST_FILE, readPluginDirectories } from '../read-plugin-directories.ts';
import { admitPlugin } from './admit-plugin.ts';
import { changedFiles, digestOf, readPluginFiles, type PluginFiles } from './read-plugin-files.ts';

export type NodePluginSource = PluginSource & {
  /** What has to be watched to notice a change; as of the last look. */
  directories(): readonly string[];
  /** The declared configuration that a version was accepted with. */
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
  /** Whether the files of a plugin are at this moment those that it is served with, whatever the last look found. */
  isUnchanged(plugin: PluginDefinition): Promise<boolean>;
};

export type NodePluginSourceOptions = {
  /** Absolute directories that hold plugins; asked at each look. */
  pluginDirectories(): readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** See `PluginAdmission`. */
  readonly pluginConfiguration?: Readonly<Record<string, string>>;
  /** See `PluginAdmission`. */
  readonly noProcesses?: string | null;
  readonly limits: Pick<Limits, 'manifestBytes' | 'pluginFiles' | 'comparedFileBytes' | 'moduleLoadMs'>;
  readonly trust: ModuleTrust;
  readonly loader: NodeModuleLoader;
  readonly logger: Logger;
  /** Makes a WebAssembly plugin ready to run and gives why it cannot be, or null. Absent: there is no sandbox. */
  prepareGuest?(plugin: PluginLocation): Promise<string | null>;
};

/** What one look found at a place. The same revision is not compiled again, so that its version keeps its identity. */
type Known = {
  readonly revision: string;
  readonly compiled: CompiledPlugin;
  readonly files: PluginFiles;
  /** What came of loading its module, once that is known. */
  moduleFault?: { readonly reason: string | null };
  /** Whether its module had its time to load and was not done: later looks ask, and wait no more. */
  isLate?: boolean;
};

/** Finds plugins in directories. Each look goes over all of them and reads again only what has changed. */
export const createNodePluginSource = (options: NodePluginSourceOptions): NodePluginSource => {
  const { limits, loader, logger, prepareGuest } = options;
  /** By the manifest object: every version was compiled to one of its own, also where only its configuration differs. */
  const configurations = new WeakMap<PluginManifest, Readonly<Record<string, string>>>();
  let known = new Map<string, Known>();
  let candidates: readonly PluginCandidate[] = [];
  let directories: readonly string[] = [];
  let isFirst = true;

  const admit = (plugin: PluginDefinition): string | null => {
    const admitted = admitPlugin(plugin, { ...options, wasm: prepareGuest !== undefined });
    if (!admitted.ok) return admitted.reason;
    configurations.set(plugin.manifest, admitted.values);
    return null;
  };

  const look = async (found: FoundManifest): Promise<Known> => {
    const before = known.get(found.location) ?? null;
    const files = await readPluginFiles(found.directory as string, before?.files ?? null, limits);
    if (files.isCut && before?.files.isCut !== true) {
      logger.warn('plugin.too-many-files', { location: found.location, limit: limits.pluginFiles });
    }
    const revision = digestOf(found.text, files);
    if (before !== null && before.revision === revision) return { ...before, files };
    if (before !== null) {
      const changed = changedFiles(before.files, files);
      logger.debug('plugin.changed', { location: found.location, files: changed.slice(0, 10).join(', ') });
    }
    return { revision, compiled: compilePlugin(found), files };
  };

  /** A changed module is tried before it takes the place of one that works. Gives why it cannot, or null. */
  const tryModule = async (plugin: PluginDefinition, state: Known): Promise<string | null> => {
    if (state.moduleFault !== undefined) return state.moduleFault.reason;
    const loading = loader.load(plugin);
    if (isFirst) {
      // A start waits for no module; whether this one loads is found out by the first call.
      loading.catch(() => undefined);
      state.moduleFault = { reason: null };
      return null;
    }
    const timeoutMs = state.isLate === true ? 0 : limits.moduleLoadMs;
    const deadline = createDeadline({ now: Date.now(), timeoutMs });
    try {
      await raceWithSignal(loading, deadline.signal);
      state.moduleFault = { reason: null };
    } catch (error) {
      if (deadline.signal.aborted) {
        // Nothing is known yet: it may be there at the next look.
        state.isLate = true;
        return `its module did not load within ${limits.moduleLoadMs} ms; the next reload looks whether it has`;
      }
      state.moduleFault = { reason: (error as Error).message };
    } finally {
      deadline.dispose();
    }
    return state.moduleFault.reason;
  };

  const loadingFault = async (plugin: PluginDefinition, state: Known): Promise<string | null> => {
    const { type } = plugin.manifest.entryPoint;
    if (type === 'module') return await tryModule(plugin, state);
    return type === 'wasm' ? ((await prepareGuest?.(plugin)) ?? null) : null;
  };

  const judge = async (location: string, state: Known): Promise<PluginCandidate> => {
    const candidate = candidateOf(location, state.revision, state.compiled, admit);
    if (!candidate.ok) return candidate;
    const reason = await loadingFault(candidate.definition, state);
    if (reason === null) return candidate;
    const { name } = candidate.definition.manifest;
    return { ok: false, location, revision: state.revision, refused: { name, location, reason, issues: [] } };
  };

  const isUnchanged = async ({ directory, revision }: PluginDefinition): Promise<boolean> => {
    if (directory === null) return true;
    const location = join(directory, MANIFEST_FILE);
    try {
      if ((await stat(location)).size > limits.manifestBytes) return false;
      const text = await readFile(location, 'utf8');
      const files = await readPluginFiles(directory, known.get(location)?.files ?? null, limits);
      return digestOf(text, files) === revision;
    } catch {
      return false;
    }
  };

  return {
    isUnchanged,
    directories: () => directories,
    configurationOf: ({ manifest }) => configurations.get(manifest) ?? {},
    mayStay: (definition) => definition.manifest.entryPoint.type !== 'module' || loader.isLoaded(definition),
    read: async () => {
      const roots = options.pluginDirectories().map((directory) => resolve(directory));
      const found = await readPluginDirectories(roots, limits.manifestBytes);
      const looked = new Map<string, Known>();
      const next: PluginCandidate[] = found.unreadable.map((refused) => ({
        ok: false,
        location: refused.location,
        revision: '',
        refused,
      }));
      for (const manifest of found.manifests) {
        const state = await look(manifest);
        looked.set(manifest.location, state);
        next.push(await judge(manifest.location, state));
      }
      // A directory that is there and cannot be read is no sign that its plugins are gone.
      const silent = found.silent.map((directory) => directory + sep);
      const kept = candidates.filter(({ location }) => silent.some((directory) => location.startsWith(directory)));
      for (const { location } of [...kept, ...found.unreadable]) {
        const state = known.get(location);
        if (state !== undefined) looked.set(location, state);
      }
      known = looked;
      candidates = [...next, ...kept];
      directories = [...roots, ...found.folders, ...[...looked.values()].flatMap(({ files }) => files.directories)];
      isFirst = false;
      return candidates;
    },
  };
};
