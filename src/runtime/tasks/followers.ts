/** Those in this process that follow a task. */
export type Followers = {
  /** Told whenever something has changed; gives back what ends it. */
  follow(taskId: string, onChange: () => void): () => void;
  changed(taskId: string): void;
};

export const createFollowers = (): Followers => {
  const followed = new Map<string, Set<() => void>>();
  return {
    follow: (taskId, onChange) => {
      const own = () => onChange();
      const followers = followed.get(taskId) ?? new Set();
      followers.add(own);
      followed.set(taskId, followers);
      return () => {
        followers.delete(own);
        if (followers.size === 0 && followed.get(taskId) === followers) followed.delete(taskId);
      };
    },
    changed: (taskId) => {
      for (const onChange of followed.get(taskId) ?? []) onChange();
    },
  };
};
