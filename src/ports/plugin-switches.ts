/** What operators have said about plugins, by name; it outlives the server. */
export type PluginSwitches = {
  read(): Promise<ReadonlyMap<string, boolean>>;
  /** Null takes the word back. `by` is the name of the key, for those who look into it later. */
  set(name: string, enabled: boolean | null, by: string): Promise<void>;
};

/** What operators have said cannot be read, and nothing is known of it from before. */
export class PluginSwitchesFault extends Error {
  override readonly name = 'PluginSwitchesFault';
}

/** Plugins cannot be switched on this server; the message says what to do instead. */
export class PluginSwitchesFixed extends Error {
  override readonly name = 'PluginSwitchesFixed';
}
