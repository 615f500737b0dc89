/**
 * Whether a setting is a text for models: `Tar`, `Var` or `Sar`, and then no small letter, so that `Target` is none.
 * Nothing else of an environment is ever shown to a model.
 */
export const isPromptVariable = (name: string): boolean =>
  /^(?:Tar|Var|Sar)(?!\p{Ll})[\p{L}\p{M}\p{N}_.-]{1,128}$/u.test(name);

/** Variables of the server's own. */
const OWN = new Set(['Date', 'Time', 'Today', 'DateTime', 'Timezone', 'VCPAllTools', 'VCPToolGuide']);

/**
 * The name of a placeholder, `{{Name}}` or `Name`, as a variable; null for one that no variable can have, or that would
 * hide another kind of variable.
 */
export const placeholderName = (written: string): string | null => {
  const name = /^\{\{(?<inner>.*)\}\}$/.exec(written)?.groups?.['inner'] ?? written;
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,127}$/u.test(name)) return null;
  return OWN.has(name) || isPromptVariable(name) || name === 'VCP_ASYNC_RESULT' ? null : name;
};
