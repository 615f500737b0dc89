import type { Limits } from '../../../src/lib/limits.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { PluginLocation } from '../../../src/ports/transport.ts';
import { concurrencyOf } from '../../../src/transport/concurrency-of.ts';
import { createRecentPeak, type RecentPeak } from '../../../src/transport/stdio/recent-peak.ts';
import type { OneshotProcess } from './oneshot-process.ts';

export type StandbyPoolOptions = {
  readonly limits: Limits;
  readonly logger: Logger;
  /** Starts a process of the plugin that waits for its call. */
  start(plugin: PluginLocation): Promise<OneshotProcess>;
};

/**
 * Processes started ahead of their call, so that a call need not wait for an interpreter. Each serves one call and is
 * replaced after it. A plugin has as many as it recently had calls at once; all plugins together have at most
 * `standbyProcesses`, the one that waited longest going first.
 */
export type StandbyPool = {
  /** A process that waits, or a fresh one. */
  take(plugin: PluginLocation): Promise<OneshotProcess>;
  /** The call that took one has ended. */
  finished(plugin: PluginLocation): void;
  retire(plugin: PluginLocation): void;
  close(): void;
  /** The plugins that have been called, with the processes that serve a call and those that wait for one. */
  stats(): readonly { readonly plugin: PluginLocation; readonly inUse: number; readonly idle: number }[];
};

/** Milliseconds after which a process in use is replaced although its call goes on. */
const REPLACE_AFTER_MS = 100;

/** A plugin whose waiting processes end by themselves this many times, each soon after the last, waits no more. */
const MOST_DEATHS = 3;
const DEATHS_WITHIN_MS = 60_000;

type Shelf = {
  /** Who waits, longest first. */
  readonly idle: Set<OneshotProcess>;
  readonly peak: RecentPeak;
  /** Calls that take the next process that has been started, rather than starting one more. */
  readonly takers: { resolve(process: OneshotProcess): void; reject(error: unknown): void }[];
  inUse: number;
  starting: number;
  deaths: number;
  /** When the last one was. */
  diedAt: number;
  isRetired: boolean;
  eviction: NodeJS.Timeout | undefined;
};

export const createStandbyPool = ({ limits, logger, start }: StandbyPoolOptions): StandbyPool => {
  const shelves = new Map<PluginLocation, Shelf>();
  /** Who waits, of all plugins, longest first. */
  const waiting = new Map<OneshotProcess, Shelf>();
  let isClosed = false;

  const shelfOf = (plugin: PluginLocation): Shelf => {
    let shelf = shelves.get(plugin);
    if (shelf === undefined) {
      shelf = {
        idle: new Set(),
        takers: [],
        peak: createRecentPeak(limits.standbyIdleMs),
        inUse: 0,
        starting: 0,
        deaths: 0,
        diedAt: Number.NEGATIVE_INFINITY,
        isRetired: false,
        eviction: undefined,
      };
      shelves.set(plugin, shelf);
    }
    return shelf;
  };

  const remove = (process: OneshotProcess): void => {
    waiting.get(process)?.idle.delete(process);
    waiting.delete(process);
  };

  const dismiss = (process: OneshotProcess): void => {
    remove(process);
    void process.child.stop();
  };

  const mayWait = (plugin: PluginLocation, shelf: Shelf): boolean =>
    !isClosed && !shelf.isRetired && shelf.deaths < MOST_DEATHS && plugin.manifest.communication.standby;

  /** How many may wait now. A tool never has more processes than calls that it may serve at once. */
  const wanted = (plugin: PluginLocation, shelf: Shelf): number =>
    Math.max(
      0,
      Math.min(
        shelf.peak.at(performance.now()),
        limits.standbyProcesses,
        concurrencyOf(plugin.manifest, limits) - shelf.inUse,
      ),
    );

  const refill = async (plugin: PluginLocation, shelf: Shelf): Promise<void> => {
    for (const surplus of [...shelf.idle].slice(wanted(plugin, shelf))) dismiss(surplus);
    while (mayWait(plugin, shelf) && shelf.idle.size + shelf.starting < wanted(plugin, shelf)) {
      shelf.starting += 1;
      try {
        const fresh = await start(plugin);
        const taker = shelf.takers.shift();
        if (taker !== undefined) taker.resolve(fresh);
        else if (fresh.child.hasExited) return noteDeath(plugin, shelf);
        else shelve(plugin, shelf, fresh);
      } catch (error) {
        // What keeps it from starting is told to the call that waits for it, or to the next one.
        shelf.takers.shift()?.reject(error);
        return;
      } finally {
        shelf.starting -= 1;
      }
    }
  };

  const shelve = (plugin: PluginLocation, shelf: Shelf, process: OneshotProcess): void => {
    if (!mayWait(plugin, shelf)) {
      void process.child.stop();
      return;
    }
    shelf.idle.add(process);
    waiting.set(process, shelf);
    const [longest] = waiting.keys();
    if (waiting.size > limits.standbyProcesses && longest !== undefined) dismiss(longest);
    const onExit = () => {
      if (!waiting.has(process)) return;
      remove(process);
      noteDeath(plugin, shelf);
    };
    process.child.exited.then(onExit, onExit);
  };

  /** It is not replaced before the next call: a plugin that cannot wait would be started for ever. */
  const noteDeath = (plugin: PluginLocation, shelf: Shelf): void => {
    const now = performance.now();
    shelf.deaths = now - shelf.diedAt > DEATHS_WITHIN_MS ? 1 : shelf.deaths + 1;
    shelf.diedAt = now;
    logger.info('stdio.standby-ended', { toolName: plugin.manifest.name, deaths: shelf.deaths });
  };

  const evictLater = (shelf: Shelf): void => {
    clearTimeout(shelf.eviction);
    shelf.eviction = setTimeout(() => {
      for (const process of shelf.idle) dismiss(process);
    }, limits.standbyIdleMs);
    shelf.eviction.unref();
  };

  return {
    take: async (plugin) => {
      const shelf = shelfOf(plugin);
      shelf.inUse += 1;
      shelf.peak.record(shelf.inUse, performance.now());
      evictLater(shelf);
      for (const ready of shelf.idle) {
        remove(ready);
        // The news that it has ended may be under way.
        await new Promise(setImmediate);
        if (ready.child.hasExited) {
          noteDeath(plugin, shelf);
          continue;
        }
        setTimeout(() => void refill(plugin, shelf), REPLACE_AFTER_MS).unref();
        return ready;
      }
      if (shelf.starting <= shelf.takers.length) return await start(plugin);
      return await new Promise((resolve, reject) => shelf.takers.push({ resolve, reject }));
    },
    finished: (plugin) => {
      const shelf = shelfOf(plugin);
      shelf.inUse -= 1;
      if (shelf.isRetired) {
        if (shelf.inUse === 0) shelves.delete(plugin);
        return;
      }
      evictLater(shelf);
      void refill(plugin, shelf);
    },
    retire: (plugin) => {
      const shelf = shelves.get(plugin);
      if (shelf === undefined) return;
      shelf.isRetired = true;
      clearTimeout(shelf.eviction);
      for (const process of shelf.idle) dismiss(process);
      if (shelf.inUse === 0) shelves.delete(plugin);
    },
    close: () => {
      isClosed = true;
      for (const shelf of shelves.values()) clearTimeout(shelf.eviction);
      for (const process of waiting.keys()) dismiss(process);
    },
    stats: () => [...shelves].map(([plugin, { inUse, idle }]) => ({ plugin, inUse, idle: idle.size })),
  };
};
