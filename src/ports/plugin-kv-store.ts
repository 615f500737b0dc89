/** What plugins keep from call to call: JSON texts by plugin and key. One plugin never sees another's. */
export type PluginKvStore = {
  /** The text that was set, or null. */
  get(plugin: string, key: string): Promise<string | null>;
  /**
   * Sets a value unless all of the plugin's values would then count more than `maxBytes` (see `kvBytes`); then nothing
   * changes and it gives false. The bound holds for any number of concurrent calls.
   */
  set(plugin: string, key: string, value: string, maxBytes: number): Promise<boolean>;
  remove(plugin: string, key: string): Promise<void>;
};

/** What a value costs to keep beside its bytes, so that many small ones are bounded too. */
const ENTRY_BYTES = 128;

const encoder = new TextEncoder();

/** What a value counts: the UTF-8 bytes of key and JSON text, and those of keeping it. */
export const kvBytes = (key: string, value: string): number =>
  encoder.encode(key).byteLength + encoder.encode(value).byteLength + ENTRY_BYTES;
