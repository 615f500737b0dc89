/** Bytes of files that a conversation may still send along within its requests: every one is sent again with each round. */
export type MediaBudget = {
  /** Takes so many, or none and says false when there are fewer left. */
  take(bytes: number): boolean;
};

export const createMediaBudget = (most: number): MediaBudget => {
  let left = most;
  return {
    take: (bytes) => {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
  };
};
