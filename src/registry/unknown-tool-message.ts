import { suggestName } from '../lib/suggest.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What to tell somebody who asked for a tool that is not there, and the name that may have been meant. */
export const unknownToolMessage = (
  toolName: string,
  registry: ToolRegistry,
): { readonly message: string; readonly suggestion: string | null } => {
  const names = registry.list().map((plugin) => plugin.manifest.name);
  const suggestion = suggestName(toolName, names);
  const hint = suggestion === null ? 'GET /v1/tools lists them' : `did you mean "${suggestion}"?`;
  return { message: `there is no tool "${toolName.slice(0, 100).toWellFormed()}"; ${hint}`, suggestion };
};
