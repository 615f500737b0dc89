import type { KeepImage } from '../../chat/passthrough/replace-images.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import { describeUpload } from '../../resources/describe-upload.ts';
import type { AppDependencies } from '../app-environment.ts';

export type KeepImageDependencies = Pick<
  AppDependencies,
  'calls' | 'blobs' | 'ids' | 'addresses' | 'clock' | 'limits' | 'logger'
>;

/**
 * Keeps the images of one answer as resources of whoever asked, as if he had uploaded them. Their addresses open for a
 * time without a key: the programs that show them have none. An image that cannot be kept is paid for, so it is left
 * where it is.
 */
export const createKeepImage = (
  { calls, blobs, ids, addresses, clock, limits, logger }: KeepImageDependencies,
  { owner, requestId }: { readonly owner: string; readonly requestId: string },
): KeepImage => {
  let count = 0;
  return async (bytes, mimeType) => {
    if (count >= limits.resourcesPerResult) return null;
    count += 1;
    try {
      const blob = await blobs.put(bytes, { maxBytes: limits.resourceBytes });
      const given = { fileName: undefined, mimeType, sourceType: 'model' };
      const descriptor = await describeUpload(blob, given, { store: blobs, ids, urlOf: addresses.urlOf });
      const now = clock.now();
      await calls.saveResource({ descriptor, owner, resultId: null, createdAt: new Date(now).toISOString() });
      const expiresAt = now + Math.min(limits.imageLinkMs, limits.linkMs);
      return await addresses.signedUrlOf(descriptor.id, descriptor.fileName, expiresAt);
    } catch (error) {
      logger.warn('pass-through.image-not-kept', { requestId, fault: describeFault(error) });
      return null;
    }
  };
};
