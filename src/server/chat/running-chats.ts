import { Interrupted, ServerStopping } from '../../chat/interrupted.ts';

/** The conversations that run now, so that they can be interrupted by whoever began them, and ended with the server. */
export type RunningChats = {
  /** `ids` are the names that the conversation goes by. Gives what ends the entry. */
  add(ids: readonly string[], owner: string, controller: AbortController): () => void;
  /** False when there is no such conversation of an owner that `mayEnd` allows. */
  interrupt(id: string, mayEnd: (owner: string) => boolean): boolean;
  /** Ends them all, because the server stops; each still tells its client so. */
  shutDown(): void;
};

type Entry = { readonly owner: string; readonly controller: AbortController };

export const createRunningChats = (): RunningChats => {
  const all = new Set<Entry>();
  // Clients may choose the ids of their requests, and choose one twice.
  const named = new Map<string, Set<Entry>>();
  return {
    add: (ids, owner, controller) => {
      const entry = { owner, controller };
      all.add(entry);
      for (const id of ids) named.set(id, (named.get(id) ?? new Set()).add(entry));
      return () => {
        all.delete(entry);
        for (const id of ids) {
          const entries = named.get(id);
          entries?.delete(entry);
          if (entries?.size === 0) named.delete(id);
        }
      };
    },
    interrupt: (id, mayEnd) => {
      const entries = [...(named.get(id) ?? [])].filter(({ owner }) => mayEnd(owner));
      for (const { controller } of entries) controller.abort(new Interrupted());
      return entries.length > 0;
    },
    shutDown: () => {
      for (const { controller } of all) controller.abort(new ServerStopping());
    },
  };
};
