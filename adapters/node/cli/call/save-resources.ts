import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import type { ResourceDescriptor } from '../../../../src/protocol/resource.ts';
import { saveFile } from '../save-file.ts';
import { printable } from '../terminal.ts';

/** Downloads the resources of a result into a directory, which is made; says on stderr where each went. */
export const saveResources = async (
  client: VcpClient,
  resources: readonly ResourceDescriptor[],
  directory: string,
): Promise<void> => {
  const kept = resources.filter(({ sha256 }) => sha256 !== null);
  if (kept.length > 0) await mkdir(directory, { recursive: true });
  for (const { id, fileName } of kept)
    process.stderr.write(`saved ${await saveFile(directory, fileName, await client.getResource(id))}\n`);
  // Other people's servers are not asked: what lies there is the user's to fetch.
  for (const { id, sha256, url } of resources)
    if (sha256 === null) process.stderr.write(`not saved, as it lies elsewhere: ${id} ${printable(url)}\n`);
  if (resources.length === 0) process.stderr.write('the result has no resources to save\n');
};
