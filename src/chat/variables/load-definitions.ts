import { createDeadline, raceWithSignal } from '../../lib/deadline.ts';
import type { Limits } from '../../lib/limits.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { DiagnosticList } from '../chat-diagnostic.ts';
import { parseTemplate, variablesOf, type TemplateSegment } from './parse-template.ts';
import { findVariable, type VariableSource, type VariableValue } from './variable-source.ts';

/** What a name was found to stand for; null for one that has no value now. */
export type Definitions = ReadonlyMap<string, readonly TemplateSegment[] | null>;

export type VariableLimits = Pick<
  Limits,
  | 'variableMs'
  | 'variablesPerRequest'
  | 'variableTokens'
  | 'variableDepth'
  | 'variableCharacters'
  | 'expandedCharacters'
>;

export type LoadOptions = {
  readonly sources: readonly VariableSource[];
  readonly limits: VariableLimits;
  readonly diagnostics: DiagnosticList;
  /** Ends the whole request. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Looks up the variables, then those that their definitions name, and so on: those of one level at once, each once, none
 * that does not occur. A name that is in no source is left out.
 */
export const loadDefinitions = async (
  names: ReadonlySet<string>,
  { sources, limits, diagnostics, signal }: LoadOptions,
): Promise<Definitions> => {
  const definitions = new Map<string, readonly TemplateSegment[] | null>();
  let wanted = [...names];
  for (let depth = 1; wanted.length > 0; depth += 1) {
    if (depth > limits.variableDepth) {
      const most = `definitions lead to other definitions over at most ${limits.variableDepth} levels`;
      for (const name of wanted) diagnostics.add('VARIABLE_TOO_DEEP', name, most);
      break;
    }
    const level = wanted.slice(0, limits.variablesPerRequest - definitions.size);
    for (const name of wanted.slice(level.length)) {
      const most = `a request may use ${limits.variablesPerRequest} different variables`;
      diagnostics.add('TOO_MANY_VARIABLES', name, most);
    }
    const found = await Promise.all(level.map((name) => lookUp(name, sources, limits, signal)));
    signal?.throwIfAborted();
    const next = new Set<string>();
    for (const [index, looked] of found.entries()) {
      const name = level[index] as string;
      definitions.set(name, segmentsOf(name, looked, diagnostics, limits));
      if (looked.value?.kind !== 'template') continue;
      for (const inner of variablesOf(definitions.get(name) ?? [])) next.add(inner);
    }
    wanted = [...next].filter((name) => !definitions.has(name));
  }
  return definitions;
};

type LookedUp = { readonly value: VariableValue | null; readonly fault: string | null };

const lookUp = async (
  name: string,
  sources: readonly VariableSource[],
  { variableMs }: VariableLimits,
  signal: AbortSignal | undefined,
): Promise<LookedUp> => {
  const deadline = createDeadline({ now: 0, timeoutMs: variableMs, signal });
  try {
    const value = await raceWithSignal(findVariable(sources, name, deadline.signal), deadline.signal);
    return { value, fault: null };
  } catch (error) {
    const isLate = deadline.reason() === 'timeout';
    return { value: null, fault: isLate ? `it had no value within ${variableMs} ms` : messageOf(error) };
  } finally {
    deadline.dispose();
  }
};

/** An unknown name has no segments to stand for it: it keeps its braces, and so is known by an own mark. */
const segmentsOf = (
  name: string,
  { value, fault }: LookedUp,
  diagnostics: DiagnosticList,
  { variableCharacters, variableTokens }: VariableLimits,
): readonly TemplateSegment[] | null => {
  if (fault !== null) {
    diagnostics.add('VARIABLE_UNAVAILABLE', name, fault);
    return null;
  }
  if (value === null) {
    diagnostics.add('UNKNOWN_VARIABLE', name, 'no variable has this name; it was left as it is');
    return UNKNOWN;
  }
  if (value.text.length > variableCharacters) {
    diagnostics.add('VARIABLE_TOO_LARGE', name, `its text has more than ${variableCharacters} characters`);
    return null;
  }
  return value.kind === 'template'
    ? parseTemplate(value.text, { left: variableTokens })
    : [{ kind: 'text', text: value.text, written: value.text }];
};

/** Stands for itself: told by identity. */
export const UNKNOWN: readonly TemplateSegment[] = [];
