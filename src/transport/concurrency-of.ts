import type { Limits } from '../lib/limits.ts';
import type { PluginManifest } from '../protocol/manifest.ts';

/** How many calls of a tool run at once: what its manifest says, or what is usual for its kind of plugin. */
export const concurrencyOf = (
  { communication }: Pick<PluginManifest, 'communication'>,
  limits: Pick<Limits, 'stdioConcurrency' | 'workerConcurrency' | 'directConcurrency'>,
): number => {
  const { protocol, mode, concurrency } = communication;
  if (concurrency !== undefined) return concurrency;
  if (protocol !== 'stdio') return limits.directConcurrency;
  return mode === 'worker' ? limits.workerConcurrency : limits.stdioConcurrency;
};
