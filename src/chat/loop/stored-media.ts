import type { Limits } from '../../lib/limits.ts';
import type { ResourceAddresses } from '../../lib/resource-addresses.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResourceStore } from '../../ports/resource-store.ts';
import type { MediaPorts } from '../../present/model/carried-media.ts';

export type StoredMediaOptions = {
  readonly blobs: Pick<ResourceStore, 'get'>;
  /** Null when nobody outside reaches this server by its addresses: then files are sent along. */
  readonly addresses: Pick<ResourceAddresses, 'signedUrlOf'> | null;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'linkMs'>;
};

/** Milliseconds that a model's vendor has to fetch a file: as long as a conversation that names it again may last. */
const LINK_MS = 60 * 60_000;

/** How the files of results reach a model: by a signed address of this server, or as their bytes. */
export const storedMedia = ({ blobs, addresses, clock, limits }: StoredMediaOptions): MediaPorts => ({
  urlOf: async ({ id, fileName, sha256 }) =>
    addresses === null || sha256 === null
      ? null
      : await addresses.signedUrlOf(id, fileName, clock.now() + Math.min(LINK_MS, limits.linkMs)),
  readBytes: async ({ sha256 }) => {
    const stream = sha256 === null ? null : await blobs.get(sha256);
    return stream === null ? null : new Uint8Array(await new Response(stream).arrayBuffer());
  },
});
