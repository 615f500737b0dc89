import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import process from 'node:process';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';

type PutOptions = ConnectOptions & { readonly name?: string; readonly type?: string; readonly json?: boolean };

/** `vcp resources put`: the id of each file on a line of its own. */
export const putResources = async (files: readonly string[], options: PutOptions): Promise<void> => {
  const { name, type } = options;
  if (files.length > 1 && (name ?? type) !== undefined)
    throw new UsageError('--name and --type are for one file; put several one by one');
  const client = connect(options);
  const kept: ResourceDescriptor[] = [];
  for (const file of files) {
    const descriptor = await uploadFile(client, file, { fileName: name, mimeType: type });
    kept.push(descriptor);
    if (options.json !== true) process.stdout.write(`${descriptor.id}\n`);
  }
  if (options.json === true) printJson(files.length === 1 ? kept[0] : kept);
};

/** Uploads a file without reading it into memory. */
export const uploadFile = async (
  client: VcpClient,
  path: string,
  given: { readonly fileName?: string | undefined; readonly mimeType?: string | undefined } = {},
): Promise<ResourceDescriptor> => {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new UsageError(`there is no file ${path}`) : error;
  });
  if (!found.isFile()) throw new UsageError(`${path} is not a file`);
  return await client.uploadResource(await openAsBlob(path), {
    ...given,
    fileName: given.fileName ?? basename(path).toWellFormed(),
  });
};
