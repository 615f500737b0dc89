/** A directory of one call's own, removed after it. Its name is the call's, unique among all calls and attempts. */
export type CallWorkspace = {
  /** The directory that a call of this plugin keeps its files in; null where the runtime has no file system. */
  directoryFor(
    plugin: { readonly name: string; readonly resourceRoot: string | undefined },
    callName: string,
  ): Promise<string | null>;
  release(callName: string): Promise<void>;
};
