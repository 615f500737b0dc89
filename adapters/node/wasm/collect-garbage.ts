import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The engine's collector. Only contexts that are made after the flag was set have it, which is one for all threads. */
const collector = (): (() => void) => {
  // It stays set: a thread that took it back would take it from another that is about to look.
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
};

/** Bytes of memories that instances have left, above which the collector runs. */
const LEFT_BYTES = 64 * 1024 * 1024;

/**
 * Collects what instances have left when that is much: by itself the engine lets dozens of them lie, 64 MiB each, since
 * the objects that hold them are small.
 */
export const createGarbageCollection = (collect = collector()): { left(bytes: number): void } => {
  let leftBytes = 0;
  return {
    left: (bytes) => {
      leftBytes += bytes;
      if (leftBytes < LEFT_BYTES) return;
      leftBytes = 0;
      collect();
    },
  };
};
