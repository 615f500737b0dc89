import { kvBytes, type PluginKvStore } from '../../src/ports/plugin-kv-store.ts';

/** Values of plugins in one process; gone with it. */
export const createMemoryPluginKvStore = (): PluginKvStore => {
  const plugins = new Map<string, Map<string, string>>();

  return {
    get: async (plugin, key) => plugins.get(plugin)?.get(key) ?? null,
    set: async (plugin, key, value, maxBytes) => {
      const values = plugins.get(plugin) ?? new Map<string, string>();
      const others = [...values].filter(([other]) => other !== key);
      const taken = others.reduce((bytes, [other, text]) => bytes + kvBytes(other, text), 0);
      if (taken + kvBytes(key, value) > maxBytes) return false;
      plugins.set(plugin, values.set(key, value));
      return true;
    },
    remove: async (plugin, key) => void plugins.get(plugin)?.delete(key),
  };
};
