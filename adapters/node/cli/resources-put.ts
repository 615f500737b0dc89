import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import process from 'node:process';
import { VcpProblem, type VcpClient } from '../../../src/client/vcp-client.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';
import { printable } from './terminal.ts';

type PutOptions = ConnectOptions & { readonly name?: string; readonly type?: string; readonly json?: boolean };

/** `vcp resources put`: the id of each file on a line of its own. */
export const putResources = async (files: readonly string[], options: PutOptions): Promise<void> => {
  const { name, type } = options;
  if (files.length > 1 && (name ?? type) !== undefined)
    throw new UsageError('--name and --type are for one file; put several one by one');
  // A mistyped name among several must not leave half of them uploaded.
  for (const file of files) await mustBeFile(file);
  const client = connect(options);
  const kept: ResourceDescriptor[] = [];
  for (const file of files) {
    const descriptor = await uploadFile(client, file, { fileName: name, mimeType: type });
    kept.push(descriptor);
    if (type !== undefined && ![essence(descriptor.mimeType), 'application/octet-stream'].includes(essence(type)))
      process.stderr.write(
        `vcp: ${printable(file)} is kept as ${descriptor.mimeType}: its bytes are not ${printable(type)}\n`,
      );
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
  await mustBeFile(path);
  try {
    return await client.uploadResource(await openAsBlob(path), {
      ...given,
      fileName: given.fileName ?? basename(path).toWellFormed(),
    });
  } catch (error) {
    if (!(error instanceof VcpProblem)) throw error;
    throw new VcpProblem({ ...error.problem, detail: `${path}: ${error.problem.detail}` });
  }
};

const mustBeFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new UsageError(`there is no file ${path}`) : error;
  });
  if (!found.isFile()) throw new UsageError(`${path} is not a file`);
};

const essence = (type: string): string => (type.split(';')[0] as string).trim().toLowerCase();
