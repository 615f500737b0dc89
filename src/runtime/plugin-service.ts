import { describeFault } from '../lib/describe-fault.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { PluginSwitchesFault, type PluginSwitches } from '../ports/plugin-switches.ts';
import { ToolName } from '../protocol/names.ts';
import type { ConfigurationReload, PluginChange, PluginReload, PluginStatus } from '../protocol/plugin-listing.ts';
import { describePlugin } from '../registry/describe-plugin.ts';
import { nextSnapshot } from '../registry/next-snapshot.ts';
import type { PluginCandidate } from '../registry/plugin-candidate.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';
import { retiredVersions, snapshotChanges } from '../registry/snapshot-changes.ts';
import type { ServiceHost } from './services/service-host.ts';
import { isBuiltIn } from './built-in/built-in-location.ts';
import type { LiveRegistry } from '../registry/tool-registry.ts';
import type { Transports } from '../transport/select-transport.ts';

/** Where plugins are found. */
export type PluginSource = {
  /** Every plugin that is there now, in the order in which they may take names. */
  read(): Promise<readonly PluginCandidate[]>;
  /** Whether a version may go on although a newer state of its plugin is refused. */
  mayStay(definition: PluginDefinition): boolean;
};

export type PluginServiceDependencies = {
  readonly registry: LiveRegistry;
  readonly source: PluginSource;
  readonly switches: PluginSwitches;
  readonly transports: Transports;
  /** Runs the plugins that serve beside calls; without it, none do. */
  readonly services?: ServiceHost;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reads the server's own configuration again, before the plugins. */
  reloadConfiguration?(): ConfigurationReload;
};

/** Keeps the registry true to what is found and what operators say, while calls run. */
export type PluginService = {
  list(): readonly PluginStatus[];
  /** Looks again. Requests that come while a look is under way share the next one. */
  reload(): Promise<PluginReload>;
  /** Switches a plugin on or off at once; null for the manifest's word. Gives null when there is no such plugin. */
  setEnabled(name: string, enabled: boolean | null, by: string): Promise<PluginStatus | null>;
};

export const createPluginService = (dependencies: PluginServiceDependencies): PluginService => {
  const { registry, source, switches, transports, clock, logger } = dependencies;
  let candidates: readonly PluginCandidate[] | null = null;
  let words: ReadonlyMap<string, boolean> | null = null;
  let running: Promise<PluginReload> | null = null;
  let next: Promise<PluginReload> | null = null;

  /** One at a time: what an operator has just said must not be undone by what was read before. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };

  /** A plugin that is off must not come back because a disk fails: what is known goes on to hold. */
  const readWords = async (known: ReadonlyMap<string, boolean> | null): Promise<ReadonlyMap<string, boolean>> => {
    try {
      return await switches.read();
    } catch (error) {
      if (known === null) {
        const reason = messageOf(error);
        throw new PluginSwitchesFault(
          `which plugins are switched off cannot be read (${reason}), so none is served; let this user read that directory`,
          { cause: error },
        );
      }
      logger.error('plugins.switches-unreadable', { fault: describeFault(error) });
      return known;
    }
  };

  const publish = (
    found: readonly PluginCandidate[],
    switched: ReadonlyMap<string, boolean>,
  ): readonly PluginChange[] => {
    const before = registry.current();
    const after = nextSnapshot(before, found, {
      switches: switched,
      now: clock.now(),
      mayStay: (definition) => source.mayStay(definition),
    });
    const changes = snapshotChanges(before, after);
    registry.replace(after);
    for (const definition of retiredVersions(before, after)) {
      for (const transport of [transports.stdio, transports.direct, transports.wasm]) transport?.retire?.(definition);
    }
    for (const change of changes) report(change, logger);
    dependencies.services?.follow(after.tools.values());
    return changes;
  };

  const look = async (): Promise<PluginReload> => {
    const configuration = dependencies.reloadConfiguration?.() ?? { applied: [], needsRestart: [], errors: [] };
    const found = await source.read();
    const changes = await inTurn(async () => {
      words = await readWords(words);
      candidates = found;
      return publish(found, words);
    });
    return { changes: [...changes], configuration };
  };

  const begin = (): Promise<PluginReload> => {
    const current = look().finally(() => {
      if (running === current) running = null;
    });
    running = current;
    return current;
  };

  const reload = (): Promise<PluginReload> => {
    if (running === null) return begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };

  const list = () => registry.current().entries.map(describePlugin);

  /** The one that is served under the name, or else one that is refused. */
  const statusOf = (name: string): PluginStatus | null => {
    const named = list().filter((status) => status.name === name);
    return named.find(({ version }) => version !== null) ?? named[0] ?? null;
  };

  return {
    list,
    reload,
    setEnabled: async (name, enabled, by) => {
      // It names a file, and a refused plugin may call itself anything.
      if (!ToolName.safeParse(name).success) return null;
      if (candidates === null) await reload();
      return await inTurn(async () => {
        if (statusOf(name) === null) return null;
        await switches.set(name, enabled, by);
        const said = new Map(words);
        if (enabled === null) said.delete(name);
        else said.set(name, enabled);
        words = await readWords(said);
        logger.info('plugin.switched', { toolName: name, enabled, by });
        publish(candidates ?? [], words);
        return statusOf(name);
      });
    },
  };
};

const report = ({ change, name, version, previousVersion, location, reason }: PluginChange, logger: Logger): void => {
  const fields = { toolName: name, version, location, ...(reason === null ? {} : { reason }) };
  switch (change) {
    case 'refused':
      logger.warn('plugin.refused', {
        toolName: name,
        location,
        reason,
        ...(version === null ? {} : { serving: version }),
      });
      break;
    case 'reloaded':
      logger.info('plugin.reloaded', { ...fields, previousVersion });
      break;
    default:
      // What is always there is no news.
      logger[isBuiltIn(location) ? 'debug' : 'info'](`plugin.${change}`, fields);
  }
};
