/** A piece of a text: what stays as it is, a variable by its name, or a word that is addressed to the server. */
export type TemplateSegment =
  | { readonly kind: 'text'; readonly text: string; readonly written: string }
  | { readonly kind: 'variable'; readonly name: string; readonly written: string }
  | { readonly kind: 'forbids-tools'; readonly written: string };

/**
 * A name begins with a letter, a digit or `_`, of any script. Its length is bounded, so that a text of nothing but
 * braces and letters is passed over in linear time.
 */
const TOKEN =
  /\{\{(?<escapes>!{0,8})(?<name>[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:-]{0,255})\}\}|\[\[VCPToolUse=Forbidden\]\]/gu;

/** The same without variables, for a text that has had as many as it may. */
const WORD = /\[\[VCPToolUse=Forbidden\]\]/gu;

/** How many variables and escapes may still be found; it is counted down. */
export type TokenBudget = { left: number };

/**
 * Cuts a text into its pieces in one pass. `{{!Name}}` is the text `{{Name}}`: each escape takes one `!` away. What only
 * resembles a token, such as `{{ Name }}` or `{{a b}}`, is text, and so are tokens beyond the budget.
 */
export const parseTemplate = (template: string, budget: TokenBudget): readonly TemplateSegment[] => {
  const segments: TemplateSegment[] = [];
  let position = 0;
  const addText = (text: string, written = text) => {
    if (written !== '') segments.push({ kind: 'text', text, written });
  };
  for (;;) {
    const pattern = budget.left > 0 ? TOKEN : WORD;
    pattern.lastIndex = position;
    const match = pattern.exec(template);
    if (match === null) break;
    const [written] = match;
    addText(template.slice(position, match.index));
    position = match.index + written.length;
    const { name, escapes = '' } = match.groups ?? {};
    if (name === undefined) segments.push({ kind: 'forbids-tools', written });
    else {
      budget.left -= 1;
      if (escapes === '') segments.push({ kind: 'variable', name, written });
      else addText(`{{${escapes.slice(1)}${name}}}`, written);
    }
  }
  addText(template.slice(position));
  return segments;
};

/** The variables of a template, each once, in the order in which they occur. */
export const variablesOf = (segments: readonly TemplateSegment[]): ReadonlySet<string> =>
  new Set(segments.flatMap((segment) => (segment.kind === 'variable' ? [segment.name] : [])));
