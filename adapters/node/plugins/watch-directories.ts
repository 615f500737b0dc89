import { watch as watchPath, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { isIgnoredName } from './ignored-name.ts';

export type DirectoryWatcher = {
  /**
   * Watches these directories, and no others any more. Gives whether anything is watched now that was not before: what
   * happened there until then went unnoticed.
   */
  watch(directories: Iterable<string>): Promise<boolean>;
  close(): void;
};

/** Starts to watch one directory, not those in it: `fs.watch`, or something that behaves like it. */
export type WatchOne = (directory: string, onEvent: (name: string | null) => void) => Pick<FSWatcher, 'on' | 'close'>;

export type WatchOptions = {
  /** Files that are watched alone, whatever else happens beside them. */
  readonly files: readonly string[];
  onChange(): void;
  /** A directory that cannot be watched. What is watched goes on. */
  onFault(directory: string, error: NodeJS.ErrnoException): void;
  readonly watchOne?: WatchOne;
};

type Watched = { readonly inode: string; readonly watcher: ReturnType<WatchOne>; names: ReadonlySet<string> | null };

/**
 * Tells that something changed, not what: whoever listens looks again anyway. One watch a directory; for one that is
 * not there, the nearest directory above it is watched until it comes.
 */
export const watchDirectories = ({
  files,
  onChange,
  onFault,
  watchOne = watchNode,
}: WatchOptions): DirectoryWatcher => {
  const watched = new Map<string, Watched>();
  let isClosed = false;

  const forget = (directory: string) => {
    watched.get(directory)?.watcher.close();
    watched.delete(directory);
  };

  const begin = (directory: string, inode: string, names: ReadonlySet<string> | null): boolean => {
    const known = watched.get(directory);
    if (known !== undefined && known.inode === inode) {
      const isMore = addsNames(known.names, names);
      known.names = names;
      return isMore;
    }
    forget(directory);
    const onError = (error: unknown) => {
      forget(directory);
      if (!isClosed) onFault(directory, error as NodeJS.ErrnoException);
    };
    try {
      const watcher = watchOne(directory, (name) => {
        const wanted = watched.get(directory)?.names ?? null;
        // It went itself, and its successor may even get its number: what is left of the watch tells nothing more.
        if (name === basename(directory)) forget(directory);
        else if (name !== null && (wanted === null ? isIgnoredName(name) : !wanted.has(name))) return;
        if (!isClosed) onChange();
      });
      watcher.on('error', onError);
      watched.set(directory, { inode, watcher, names });
      return true;
    } catch (error) {
      // It went between the look and the watch, and nobody tells that: whoever listens has to look again.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      onError(error);
      return false;
    }
  };

  return {
    watch: async (directories) => {
      const wanted = await existing(directories, files);
      if (isClosed) return false;
      for (const directory of watched.keys()) if (!wanted.has(directory)) forget(directory);
      return [...wanted].filter(([directory, { inode, names }]) => begin(directory, inode, names)).length > 0;
    },
    close: () => {
      isClosed = true;
      for (const directory of watched.keys()) forget(directory);
    },
  };
};

/** Null stands for all names. */
const addsNames = (before: ReadonlySet<string> | null, after: ReadonlySet<string> | null): boolean =>
  before !== null && (after === null || [...after].some((name) => !before.has(name)));

type Wanted = { readonly inode: string; readonly names: Set<string> | null };

/** The directories to watch, each with the names that matter there; null where all do. */
const existing = async (directories: Iterable<string>, files: readonly string[]): Promise<Map<string, Wanted>> => {
  const wanted = new Map<string, Wanted>();
  const add = async (directory: string, name: string | null): Promise<void> => {
    const inode = await inodeOf(directory);
    if (inode === null) {
      const above = dirname(directory);
      if (above !== directory) await add(above, basename(directory));
      return;
    }
    const known = wanted.get(directory)?.names;
    if (name === null || known === null) wanted.set(directory, { inode, names: null });
    else wanted.set(directory, { inode, names: new Set([...(known ?? []), name]) });
  };
  for (const directory of directories) await add(resolve(directory), null);
  for (const file of files) await add(dirname(resolve(file)), basename(file));
  return wanted;
};

/** A directory that was replaced by another under its name has to be watched anew. */
const inodeOf = async (directory: string): Promise<string | null> => {
  const found = await stat(directory).catch(() => null);
  return found?.isDirectory() === true ? `${found.dev}:${found.ino}` : null;
};

const watchNode: WatchOne = (directory, onEvent) =>
  watchPath(directory, { persistent: false }, (_, name) => onEvent(name));
