import { describeFault } from '../../lib/describe-fault.ts';
import type { Limits } from '../../lib/limits.ts';
import { placeholderName } from '../../lib/variable-names.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PluginKvStore } from '../../ports/plugin-kv-store.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { PluginDefinition } from '../../registry/plugin-definition.ts';
import { createKeptValues } from './kept-values.ts';
import { placeholderValues } from './placeholder-values.ts';

export type PlaceholderDependencies = {
  /** The static plugins that are served now, in order of name. */
  plugins(): readonly PluginDefinition[];
  /** Asks a plugin once. */
  run(plugin: PluginDefinition): Promise<CanonicalToolResult>;
  /** Where what was said last outlasts a restart. */
  readonly values: PluginKvStore;
  /** Does the work whenever the pattern says; gives the function that ends it. */
  startCron(pattern: string, work: () => void): () => void;
  readonly knownPaths: readonly string[];
  readonly limits: Pick<Limits, 'placeholderCharacters' | 'placeholderBytes' | 'auditDataCharacters'>;
  readonly logger: Logger;
};

/** What the placeholders of static plugins stand for. */
export type PlaceholderService = {
  /**
   * The text that a placeholder stands for; null when no plugin has it. Waits for the first answer of its plugin, and
   * raises when that has none; later, what was said last stands while the plugin is asked again, or fails.
   */
  find(name: string, signal: AbortSignal): Promise<string | null>;
  /** Takes over which plugins there are. */
  sync(): void;
  /** Resolves when no plugin is being asked. */
  idle(): Promise<void>;
  /** Asks no more. */
  close(): void;
};

type Served = {
  readonly plugin: PluginDefinition;
  readonly names: readonly string[];
  values: ReadonlyMap<string, string> | null;
  readonly loaded: Promise<void>;
  refreshing: Promise<void> | null;
  /** What its last failure was, and is not told of again. */
  toldOf: string | null;
  stop(): void;
};

export const createPlaceholderService = (dependencies: PlaceholderDependencies): PlaceholderService => {
  const { logger, limits } = dependencies;
  const kept = createKeptValues(dependencies.values, limits.placeholderBytes);
  const served = new Map<string, Served>();
  let owners: ReadonlyMap<string, Served> = new Map();
  let isClosed = false;

  const load = async (name: string): Promise<ReadonlyMap<string, string> | null> => {
    try {
      return await kept.load(name);
    } catch (error) {
      logger.warn('placeholder.not-loaded', { toolName: name, fault: describeFault(error) });
      return null;
    }
  };

  const ask = async (state: Served): Promise<void> => {
    const { name } = state.plugin.manifest;
    if (isClosed) return;
    try {
      const result = await dependencies.run(state.plugin);
      // A newer version has taken its place, or none; or the server stops, and has broken it off.
      if (served.get(name) !== state || isClosed) return;
      if (result.status !== 'success' && result.status !== 'partial') {
        const code = result.error?.code ?? result.status;
        const isNews = state.toldOf !== code;
        state.toldOf = code;
        const fields = { toolName: name, errorCode: code, hasValue: state.values !== null };
        logger[isNews ? 'warn' : 'debug']('placeholder.not-refreshed', fields);
        return;
      }
      state.toldOf = null;
      state.values = placeholderValues(result, state.names, dependencies);
      if (!(await kept.save(name, state.values))) logger.warn('placeholder.not-kept', { toolName: name });
      logger.debug('placeholder.refreshed', { toolName: name });
    } catch (error) {
      logger.error('placeholder.fault', { toolName: name, fault: describeFault(error) });
    }
  };

  const refresh = (state: Served): Promise<void> => {
    state.refreshing ??= state.loaded
      .then(() => ask(state))
      .finally(() => {
        state.refreshing = null;
      });
    return state.refreshing;
  };

  const begin = (plugin: PluginDefinition, before: Served | null): Served => {
    const { manifest } = plugin;
    const declared = manifest.capabilities.systemPromptPlaceholders ?? [];
    const loading = before === null ? load(manifest.name) : before.loaded.then(() => before.values);
    const state: Served = {
      plugin,
      names: declared.flatMap(({ placeholder }) => placeholderName(placeholder) ?? []),
      values: null,
      loaded: loading.then((values) => {
        state.values ??= values;
      }),
      refreshing: null,
      toldOf: null,
      stop: () => undefined,
    };
    if (manifest.refreshCron !== undefined)
      state.stop = dependencies.startCron(manifest.refreshCron, () => void refresh(state));
    return state;
  };

  const ownersOf = (states: Iterable<Served>): ReadonlyMap<string, Served> => {
    const found = new Map<string, Served>();
    for (const state of states) {
      for (const name of state.names) {
        const owner = found.get(name);
        if (owner === undefined) found.set(name, state);
        else {
          const of = { toolName: state.plugin.manifest.name, placeholder: name, owner: owner.plugin.manifest.name };
          logger.warn('placeholder.taken', of);
        }
      }
    }
    return found;
  };

  return {
    find: async (name) => {
      const state = owners.get(name);
      if (state === undefined) return null;
      await state.loaded;
      if (state.values?.has(name) !== true) await state.refreshing;
      const value = state.values?.get(name);
      if (value === undefined) throw new Error(`${state.plugin.manifest.name}, which it is from, gave no value yet`);
      return value;
    },
    sync: () => {
      if (isClosed) return;
      const wanted = new Map(
        dependencies
          .plugins()
          .filter(({ enabled }) => enabled)
          .map((plugin) => [plugin.manifest.name, plugin]),
      );
      const changed = [...wanted].filter(([name, plugin]) => served.get(name)?.plugin !== plugin);
      const gone = [...served].filter(([name]) => !wanted.has(name));
      if (changed.length === 0 && gone.length === 0) return;
      for (const [name, state] of gone) {
        state.stop();
        served.delete(name);
      }
      const begun = changed.map(([name, plugin]) => {
        const before = served.get(name) ?? null;
        before?.stop();
        const state = begin(plugin, before);
        served.set(name, state);
        return state;
      });
      owners = ownersOf([...served.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)));
      for (const state of begun) void refresh(state);
    },
    idle: async () => {
      await Promise.all([...served.values()].flatMap(({ refreshing }) => refreshing ?? []));
    },
    close: () => {
      isClosed = true;
      for (const { stop } of served.values()) stop();
    },
  };
};

const nameOf = ({ plugin }: Served): string => plugin.manifest.name;
