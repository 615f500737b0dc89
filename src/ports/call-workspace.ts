/** A directory of one call's own, removed after it. */
export type CallWorkspace = {
  /** The directory that a call of this plugin keeps its files in; null where the runtime has no file system. */
  directoryFor(
    plugin: { readonly name: string; readonly resourceRoot: string | undefined },
    invocationId: string,
  ): Promise<string | null>;
  release(invocationId: string): Promise<void>;
};
