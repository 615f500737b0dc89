import type { DiagnosticList } from '../chat-diagnostic.ts';
import {
  loadDefinitions,
  UNKNOWN,
  type Definitions,
  type LoadOptions,
  type VariableLimits,
} from './load-definitions.ts';
import { parseTemplate, variablesOf, type TemplateSegment } from './parse-template.ts';

/** A text of a request, and what it may do. */
export type ExpandableText = {
  readonly text: string;
  /** Whether variables in it are filled in. */
  readonly isExpanded: boolean;
  /** Whether a word in it that is addressed to the server is heeded. */
  readonly isOperators: boolean;
};

export type Expanded = {
  /** In the order in which they were given. */
  readonly texts: readonly string[];
  readonly forbidsTools: boolean;
};

export type ExpandOptions = LoadOptions & {
  /** What stands in the place of a variable that has no value now. */
  readonly unavailableText: (name: string) => string;
};

/**
 * Fills in the variables of texts. Each text is passed over once, and what is inserted is not looked at again, except
 * that the definition of a variable may name others.
 */
export const expandVariables = async (texts: readonly ExpandableText[], options: ExpandOptions): Promise<Expanded> => {
  const budget = { left: options.limits.variableTokens };
  const parsed = texts.map(({ text }) => parseTemplate(text, budget));
  if (budget.left === 0) {
    const most = `a request may have ${options.limits.variableTokens} variables, however often each occurs; the rest is text`;
    options.diagnostics.add('TOO_MANY_VARIABLES', '', most);
  }
  const names = new Set(
    parsed.flatMap((segments, index) => (texts[index]?.isExpanded === true ? [...variablesOf(segments)] : [])),
  );
  const definitions = await loadDefinitions(names, options);
  const writer = createWriter(definitions, options);
  const expanded = parsed.map((segments, index) => writer.write(segments, texts[index] as ExpandableText));
  return { texts: expanded, forbidsTools: writer.forbidsTools() };
};

/** Only operators write definitions. */
const OF_A_DEFINITION = { isExpanded: true, isOperators: true };

type WriterOptions = {
  readonly limits: VariableLimits;
  readonly diagnostics: DiagnosticList;
  readonly unavailableText: (name: string) => string;
};

const createWriter = (definitions: Definitions, { limits, diagnostics, unavailableText }: WriterOptions) => {
  const values = new Map<string, string>();
  const open = new Set<string>();
  let forbidsTools = false;
  /** Characters that may still be inserted. */
  let left = limits.expandedCharacters;

  /** Null for a variable that keeps its braces. A cycle is cut where it closes, so that each value is made once. */
  const valueOf = (name: string): string | null => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const segments = definitions.get(name);
    if (segments === undefined || segments === UNKNOWN) return null;
    if (segments === null) return unavailableText(name);
    if (open.has(name)) {
      diagnostics.add('VARIABLE_CYCLE', name, `its definition leads back to itself: ${[...open, name].join(' → ')}`);
      return null;
    }
    open.add(name);
    const value = joined(segments, OF_A_DEFINITION, limits.variableCharacters, name);
    open.delete(name);
    values.set(name, value);
    return value;
  };

  /** A variable that would not fit any more keeps its braces. */
  const joined = (
    segments: readonly TemplateSegment[],
    { isExpanded, isOperators }: Pick<ExpandableText, 'isExpanded' | 'isOperators'>,
    most: number,
    within: string | null,
  ): string => {
    const pieces: string[] = [];
    let room = most;
    for (const segment of segments) {
      if (segment.kind === 'text') pieces.push(isExpanded ? segment.text : segment.written);
      else if (segment.kind === 'forbids-tools') {
        if (isOperators) forbidsTools = true;
        else pieces.push(segment.written);
      } else {
        const value = isExpanded ? valueOf(segment.name) : null;
        const fits = value === null || value.length <= room;
        if (!fits) {
          const where = within === null ? 'the messages of a request' : `the variable ${within}`;
          diagnostics.add(
            'VARIABLE_TOO_LARGE',
            segment.name,
            `with it, ${where} would grow by more than ${most} characters`,
          );
        }
        if (value === null || !fits) pieces.push(segment.written);
        else {
          pieces.push(value);
          room -= value.length;
        }
      }
    }
    if (within === null) left = room;
    return pieces.join('');
  };

  return {
    write: (segments: readonly TemplateSegment[], text: ExpandableText): string => joined(segments, text, left, null),
    forbidsTools: () => forbidsTools,
  };
};
