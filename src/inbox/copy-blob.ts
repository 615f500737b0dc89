import { formatBytes } from '../lib/bytes.ts';
import type { Failure } from '../lib/failure.ts';
import type { Limits } from '../lib/limits.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import type { InboxBlob } from '../protocol/inbox.ts';
import { InboxFault, type InboxClient } from './inbox-client.ts';

/**
 * Brings a blob of the receiver into the store here, unless it is there already. Gives why it never can be, or null. Bytes
 * that are not those of the hash are refused: they stay under a hash of their own, which nothing refers to.
 */
export const copyBlob = async (
  { sha256, sizeBytes }: InboxBlob,
  pointer: string,
  {
    client,
    blobs,
    limits,
    signal,
  }: {
    readonly client: InboxClient;
    readonly blobs: ResourceStore;
    readonly limits: Pick<Limits, 'resourceBytes'>;
    readonly signal: AbortSignal;
  },
): Promise<Failure | null> => {
  if (await blobs.keep(sha256)) return null;
  if (sizeBytes > limits.resourceBytes) {
    const message = `${pointer} is larger than ${formatBytes(limits.resourceBytes)}`;
    return { code: 'RESOURCE_TOO_LARGE', message, details: { pointer } };
  }
  const stored = await blobs.put(await client.blob(sha256, signal), { maxBytes: sizeBytes });
  if (stored.sha256 !== sha256)
    throw new InboxFault(`the receiver gave bytes of the SHA-256 ${stored.sha256} for those of ${sha256}`);
  return null;
};
