import { resolve } from 'node:path';
import { createQuietPeriod } from '../../../src/lib/quiet-period.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { PluginService } from '../../../src/runtime/plugin-service.ts';
import type { Configuration } from '../../../src/server/configuration.ts';
import { reloadAndTell } from './reload-and-tell.ts';
import { watchDirectories, type WatchOne } from './watch-directories.ts';

export type PluginWatchOptions = {
  readonly mode: Configuration['VCP_WATCH'];
  readonly service: Pick<PluginService, 'reload'>;
  /** What to watch, as of the last reload. */
  directories(): readonly string[];
  readonly files: readonly string[];
  readonly limits: Pick<Limits, 'reloadQuietMs' | 'reloadAtMostMs' | 'reloadPollMs'>;
  readonly logger: Logger;
  readonly watchOne?: WatchOne;
};

/** Reloads when something changes, by the mode that the operator chose. Gives the function that ends it. */
export const reloadOnChange = async (options: PluginWatchOptions): Promise<() => void> => {
  const { mode, service, limits, logger } = options;
  if (mode === 'false') return () => undefined;
  let isClosed = false;
  const reload = () => reloadAndTell(service, logger);

  if (mode === 'poll') {
    // The next look begins when the one before is over, however long it takes.
    let timer: NodeJS.Timeout;
    const wait = () => {
      timer = setTimeout(() => void reload().then(() => (isClosed ? undefined : wait())), limits.reloadPollMs);
    };
    wait();
    return () => {
      isClosed = true;
      clearTimeout(timer);
    };
  }

  let isTold = false;
  const watcher = watchDirectories({
    files: options.files.map((file) => resolve(file)),
    onChange: () => quiet.signal(),
    onFault: (directory, error) => {
      if (isTold) return;
      isTold = true;
      logger.warn('plugins.not-watched', { directory, reason: watchFault(error) });
    },
    ...(options.watchOne === undefined ? {} : { watchOne: options.watchOne }),
  });
  const watch = async () => {
    // What happened in a directory before it was watched went unnoticed, so it is looked at once more.
    if (await watcher.watch(options.directories())) quiet.signal();
  };
  const quiet = createQuietPeriod({ quietMs: limits.reloadQuietMs, longestMs: limits.reloadAtMostMs }, () => {
    void reload().then(() => (isClosed ? undefined : watch()));
  });
  await watch();
  return () => {
    isClosed = true;
    quiet.close();
    watcher.close();
  };
};

const watchFault = ({ code, message }: NodeJS.ErrnoException): string => {
  const instead = 'or set VCP_WATCH=poll; until then "vcp plugins reload" takes changes over';
  if (code === 'ENOSPC')
    return `the system watches no more files for this user: raise fs.inotify.max_user_watches, ${instead}`;
  if (code === 'EMFILE')
    return `too many files are open, or fs.inotify.max_user_instances is reached: raise that limit, ${instead}`;
  return `${message}; mend that, ${instead}`;
};
