import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { PluginKvStore } from '../../ports/plugin-kv-store.ts';

/** No plugin can have this name, so none sees what is kept here. */
const KEPT_UNDER = ':placeholders';

/** An object of texts. */
const BOUNDS = { jsonDepth: 2, jsonNodes: 10_000 };
const KeptValues = z.record(z.string(), z.string());

/** What static plugins said last, over restarts. */
export type KeptValues = {
  /** Null when nothing is kept, or nothing that can be read. */
  load(plugin: string): Promise<ReadonlyMap<string, string> | null>;
  /** False when there is no room. */
  save(plugin: string, values: ReadonlyMap<string, string>): Promise<boolean>;
};

export const createKeptValues = (store: PluginKvStore, maxBytes: number): KeptValues => ({
  load: async (plugin) => {
    const text = await store.get(KEPT_UNDER, plugin);
    const parsed = text === null ? null : parseJson(text, BOUNDS);
    if (parsed === null || !parsed.ok) return null;
    const checked = KeptValues.safeParse(parsed.value);
    return checked.success ? new Map(Object.entries(checked.data)) : null;
  },
  save: (plugin, values) => store.set(KEPT_UNDER, plugin, JSON.stringify(Object.fromEntries(values)), maxBytes),
});
