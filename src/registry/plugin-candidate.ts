import { messageOf } from '../lib/message-of.ts';
import type { RefusedPlugin } from '../protocol/tool-description.ts';
import type { CompiledPlugin } from './compile-plugin.ts';
import type { PluginDefinition } from './plugin-definition.ts';

/**
 * A plugin as one look found it, judged by itself: whether its name is free is settled among all of them.
 */
export type PluginCandidate = {
  /** Where its manifest lies. */
  readonly location: string;
  /** The same for the same state of the plugin and of all its files; empty where nothing could be read. */
  readonly revision: string;
} & (
  | { readonly ok: true; readonly definition: PluginDefinition }
  | { readonly ok: false; readonly refused: RefusedPlugin }
);

/**
 * Judges a compiled plugin. `admit` says what this runtime cannot run of it, or null; whatever it throws is a reason
 * against this plugin alone.
 */
export const candidateOf = (
  location: string,
  revision: string,
  compiled: CompiledPlugin,
  admit: (definition: PluginDefinition) => string | null,
): PluginCandidate => {
  if (!compiled.ok) return { location, revision, ok: false, refused: compiled.refused };
  const { definition } = compiled;
  const { name } = definition.manifest;
  const reason = reasonOf(() => admit(definition));
  return reason === null
    ? { location, revision, ok: true, definition }
    : { location, revision, ok: false, refused: { name, location, reason, issues: [] } };
};

const reasonOf = (judge: () => string | null): string | null => {
  try {
    return judge();
  } catch (error) {
    return `whether it can be served was not found out: ${messageOf(error)}`;
  }
};
