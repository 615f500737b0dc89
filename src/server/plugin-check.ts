import type { ReadinessCheck } from '../ports/readiness-check.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';

/** A plugin that was refused is an operator's concern, and no reason to turn callers of the others away. */
export const pluginCheck = (registry: ToolRegistry): ReadinessCheck => ({
  name: 'plugins',
  check: async () => {
    const refused = registry.refused().length;
    return refused === 0 ? null : `${refused} refused; GET /v1/tools?include=refused tells why`;
  },
});
