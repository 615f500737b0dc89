/** Ends of tasks that could not be stored, and are tried again: what a task came to must not be lost with one failed write. */
export type PostponedEnds = {
  /** `again` tries it once more, and puts it back here or calls `done`. */
  put(taskId: string, again: () => Promise<void>): void;
  done(taskId: string): void;
  tryAgain(): Promise<void>;
};

/** A store that fails for longer than this many looks leaves the task to the end of its time. */
const MOST_TRIES = 100;

export const createPostponedEnds = (): PostponedEnds => {
  const waiting = new Map<string, { readonly tries: number; readonly again: () => Promise<void> }>();
  return {
    put: (taskId, again) => {
      const tries = (waiting.get(taskId)?.tries ?? 0) + 1;
      if (tries > MOST_TRIES) waiting.delete(taskId);
      else waiting.set(taskId, { tries, again });
    },
    done: (taskId) => void waiting.delete(taskId),
    tryAgain: async () => {
      for (const { again } of waiting.values()) await again();
    },
  };
};
