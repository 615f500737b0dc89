import { suggestName } from '../lib/suggest.ts';
import type { ToolRegistry } from './tool-registry.ts';

/**
 * What to tell somebody who asked for a tool that is not there, and the name that may have been meant: of those that
 * are offered to whoever asks.
 */
export const unknownToolMessage = (
  toolName: string,
  registry: ToolRegistry,
  isOffered: (toolName: string) => boolean = () => true,
): { readonly message: string; readonly suggestion: string | null } => {
  const names = registry
    .list()
    .map((plugin) => plugin.manifest.name)
    .filter(isOffered);
  const suggestion = suggestName(toolName, names);
  const wasRefused = isOffered(toolName) && registry.refused().some(({ name }) => name === toolName);
  const hint = wasRefused
    ? 'its plugin is refused; the list of tools says why to an operator (vcp tools --refused)'
    : suggestion === null
      ? 'the list of tools (vcp tools, GET /v1/tools) has the names'
      : `did you mean "${suggestion}"?`;
  return { message: `there is no tool "${toolName.slice(0, 100).toWellFormed()}"; ${hint}`, suggestion };
};
