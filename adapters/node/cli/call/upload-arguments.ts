import process from 'node:process';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import { uploadFile } from '../resources-put.ts';
import { printable } from '../terminal.ts';

/** Uploads the files that values among the arguments stand for, and puts their ids in the place of these. */
export const uploadArguments = async (
  client: VcpClient,
  args: JsonObject,
  uploads: ReadonlyMap<JsonValue, string>,
): Promise<JsonObject> => {
  if (uploads.size === 0) return args;
  const valueOf = async (value: JsonValue): Promise<JsonValue> => {
    const file = uploads.get(value);
    if (file === undefined) return Array.isArray(value) ? await Promise.all(value.map(valueOf)) : value;
    const { id } = await uploadFile(client, file);
    process.stderr.write(`uploaded ${printable(file)} as ${id}\n`);
    return id;
  };
  const sent: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(args)) sent.push([name, await valueOf(value)]);
  // fromEntries defines own properties, so a name such as `__proto__` stays a plain name.
  return Object.fromEntries(sent);
};
