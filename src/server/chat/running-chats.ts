import { Interrupted } from '../../chat/interrupted.ts';

/** The conversations that run now, so that they can be interrupted by whoever began them. */
export type RunningChats = {
  /** `ids` are the names that the conversation goes by. Gives what ends the entry. */
  add(ids: readonly string[], owner: string, controller: AbortController): () => void;
  /** False when there is no such conversation of an owner that `mayEnd` allows. */
  interrupt(id: string, mayEnd: (owner: string) => boolean): boolean;
};

export const createRunningChats = (): RunningChats => {
  const running = new Map<string, { readonly owner: string; readonly controller: AbortController }>();
  return {
    add: (ids, owner, controller) => {
      const entry = { owner, controller };
      for (const id of ids) running.set(id, entry);
      return () => {
        for (const id of ids) running.delete(id);
      };
    },
    interrupt: (id, mayEnd) => {
      const entry = running.get(id);
      if (entry === undefined || !mayEnd(entry.owner)) return false;
      entry.controller.abort(new Interrupted());
      return true;
    },
  };
};
