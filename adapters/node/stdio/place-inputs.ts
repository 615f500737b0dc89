import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { plainFileName } from '../../../src/lib/plain-file-name.ts';
import { removeAbandoned } from '../../fs/remove-abandoned.ts';
import type { TransportCall } from '../../../src/ports/transport.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { DeliveredResource } from '../../../src/protocol/resource-input.ts';

/** Of no folder that a plugin makes itself. */
const PREFIX = '.vcp-inputs-';

/** The arguments with the paths of their files, and what removes these again. */
export type PlacedInputs = { readonly arguments: JsonObject; remove(): Promise<void> };

/**
 * Puts the resources among the arguments of a call into its directory, each under its own name in a folder of its own.
 * They are copies: a program that changes one, for all that it is read-only, changes nothing that is stored.
 */
export const placeInputs = async (call: TransportCall): Promise<PlacedInputs> => {
  const root = call.inputResources.size === 0 ? null : await call.resourceDirectory();
  if (root === null) return { arguments: call.arguments, remove: () => Promise.resolve() };
  // A directory that is kept from call to call may have some of a server that was killed.
  if (call.plugin.manifest.resourceRoot !== undefined) await removeAbandoned(root, (name) => name.startsWith(PREFIX));
  const directory = await mkdtemp(join(root, PREFIX));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const paths = new Map<string, string>();
    for (const [id, { descriptor, open }] of call.inputResources) {
      const folder = join(directory, String(paths.size + 1));
      await mkdir(folder);
      const name = plainFileName(descriptor.fileName);
      const source = Readable.fromWeb((await open()) as unknown as NodeReadableStream<Uint8Array>);
      const target = createWriteStream(join(folder, name), { flags: 'wx', mode: 0o400 });
      await pipeline(source, target, { signal: call.signal });
      paths.set(id, `${basename(directory)}/${paths.size + 1}/${name}`);
    }
    return { arguments: withPaths(call.arguments, paths) as JsonObject, remove };
  } catch (error) {
    await remove();
    throw error;
  }
};

/** Adds `localPath` to what stands for a resource. */
const withPaths = (value: JsonValue, paths: ReadonlyMap<string, string>): JsonValue => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withPaths(item, paths));
  const delivered = DeliveredResource.safeParse(value);
  const localPath = delivered.success ? paths.get(delivered.data.$resource) : undefined;
  if (localPath !== undefined) return { ...(value as JsonObject), localPath };
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withPaths(child, paths)]));
};
