import type { Limits } from '../lib/limits.ts';
import type { InvocationOptions } from '../protocol/invocation.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';

/** Milliseconds that a call may take. A caller may be less patient than the manifest, not more. */
export const callTimeout = (
  plugin: PluginDefinition | null,
  options: InvocationOptions | undefined,
  { callTimeoutMs }: Pick<Limits, 'callTimeoutMs'>,
): number => {
  const allowed = plugin?.manifest.communication.timeoutMs ?? callTimeoutMs;
  return Math.min(options?.timeoutMs ?? allowed, allowed);
};
