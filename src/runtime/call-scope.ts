import type { CallStore } from '../ports/call-store.ts';
import type { CallWorkspace } from '../ports/call-workspace.ts';
import type { InputResource, ResourceReader, ResourceWriter } from '../ports/transport.ts';
import type { JsonObject } from '../protocol/json.ts';
import { createResourceReader } from '../resources/resource-reader.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';
import type { ResourceDependencies, ResourceScope, WrittenResource } from '../resources/resource-context.ts';

/** What one attempt of a call has to itself: a directory made on first use, and the resources it has written. */
export type CallScope = {
  readonly resources: ResourceScope;
  readonly writer: ResourceWriter;
  readonly reader: ResourceReader;
  close(): Promise<void>;
};

/** `name` is unique among all calls; the directory has it. */
export const createCallScope = (
  name: string,
  plugin: PluginDefinition,
  {
    owner,
    args,
    inputs,
  }: {
    readonly owner: string;
    readonly args: JsonObject;
    readonly inputs: ReadonlyMap<string, InputResource>;
  },
  dependencies: {
    readonly workspace: CallWorkspace;
    readonly resources: ResourceDependencies;
    readonly calls: CallStore;
  },
): CallScope => {
  const { workspace, resources, calls } = dependencies;
  const written = new Map<string, WrittenResource>();
  let directory: Promise<string | null> | null = null;

  const find = async (id: string) => {
    const stored = await calls.getResource(id);
    // What the call was given, it may also read, and give back.
    return stored !== null && (stored.owner === owner || inputs.has(id)) ? stored : null;
  };

  return {
    resources: {
      written,
      directory: () => {
        const { manifest } = plugin;
        directory ??= workspace.directoryFor({ name: manifest.name, resourceRoot: manifest.resourceRoot }, name);
        return directory;
      },
      find,
    },
    writer: {
      write: async (source, options = {}) => {
        const blob = await resources.store.put(source, { maxBytes: resources.limits.resourceBytes });
        const id = resources.ids.next('resource');
        written.set(id, { blob, fileName: options.fileName, mimeType: options.mimeType });
        return id;
      },
    },
    reader: createResourceReader({ written, args, find, store: resources.store }),
    close: async () => {
      if (directory !== null) await workspace.release(name);
    },
  };
};
