/** A map of bounded size: beyond it, the entry that was set longest ago goes. */
export type RecentMap<Value> = {
  get(key: string): Value | undefined;
  /** Sets the value, and makes the entry the newest. */
  set(key: string, value: Value): void;
};

export const createRecentMap = <Value>(capacity: number): RecentMap<Value> => {
  // A Map keeps its keys in order of insertion: the first is the oldest.
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > capacity) entries.delete(entries.keys().next().value as string);
    },
  };
};
