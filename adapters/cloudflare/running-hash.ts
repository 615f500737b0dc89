import { createHash } from 'node:crypto';
import type { RunningHash } from '../r2/r2-resource-store.ts';

/** A SHA-256 that takes its bytes piece by piece. */
export const newHash = (): RunningHash => {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: async () => new Uint8Array(hash.digest()) };
};
