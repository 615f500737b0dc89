import type { Limits } from '../../lib/limits.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';

/** Milliseconds that a task may take: what its manifest says, within what the operator allows. */
export const taskTimeout = (
  { communication }: Pick<PluginManifest, 'communication'>,
  { taskMs }: Pick<Limits, 'taskMs'>,
): number => Math.min(communication.taskTimeoutMs ?? taskMs, taskMs);
