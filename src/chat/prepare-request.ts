import type { Limits } from '../lib/limits.ts';
import { createDiagnosticList, type ChatDiagnostic, type DiagnosticList } from './chat-diagnostic.ts';
import type { ChatContentPart, ChatMessage } from './chat-message.ts';
import type { Preprocessed } from './preprocess/run-preprocessor.ts';
import { expandVariables, type ExpandableText } from './variables/expand-variables.ts';
import type { VariableLimits } from './variables/load-definitions.ts';
import type { VariableSource } from './variables/variable-source.ts';

/** A chat request as far as it is prepared; its messages are valid. */
export type ChatRequest = { readonly model: string; readonly messages: readonly ChatMessage[] };

/** On whose behalf a request is prepared. */
export type ChatContext = {
  readonly requestId: string;
  readonly owner: string;
  /** Whether the caller may use a tool. */
  isOffered(toolName: string): boolean;
  readonly signal?: AbortSignal | undefined;
};

export type PreparedRequest =
  | {
      readonly ok: true;
      readonly messages: readonly ChatMessage[];
      /** `forbidden`: no call in the model's answer is run. */
      readonly toolUse: 'allowed' | 'forbidden';
      readonly diagnostics: readonly ChatDiagnostic[];
    }
  | {
      /** The request must not go on. */
      readonly ok: false;
      readonly code: 'PREPROCESSOR_FAILED';
      readonly message: string;
      readonly diagnostics: readonly ChatDiagnostic[];
    };

export type PrepareDependencies = {
  /** Roles of the messages in which variables are filled in. */
  readonly expandedRoles: ReadonlySet<string>;
  /** Where the variables of this request come from; the first that knows a name gives its value. */
  sources(request: ChatRequest, context: ChatContext): readonly VariableSource[];
  /** What stands in the place of a variable that has no value now. */
  unavailableText(name: string): string;
  preprocess(
    messages: readonly ChatMessage[],
    request: { readonly model: string } & ChatContext,
    diagnostics: DiagnosticList,
  ): Promise<Preprocessed>;
  readonly limits: VariableLimits & Pick<Limits, 'reportedIssues'>;
};

/** The messages that the operator speaks by. */
const OPERATOR_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/**
 * Makes a request ready for its model: fills in variables, takes out the word that forbids tools, and lets the messages
 * pass the preprocessors. What those write is final: no variable is filled in after them. Rejects only when the request's
 * own signal ends it.
 */
export const prepareRequest = async (
  request: ChatRequest,
  context: ChatContext,
  dependencies: PrepareDependencies,
): Promise<PreparedRequest> => {
  const { expandedRoles, limits, unavailableText } = dependencies;
  const diagnostics = createDiagnosticList(limits.reportedIssues);
  const places = request.messages.flatMap((message, index) => {
    const isOperators = OPERATOR_ROLES.has(message.role);
    const isExpanded = expandedRoles.has(message.role);
    return isOperators || isExpanded ? textsOf(message, { isExpanded, isOperators, message: index }) : [];
  });
  const expanded = await expandVariables(places, {
    sources: dependencies.sources(request, context),
    limits,
    diagnostics,
    unavailableText,
    signal: context.signal,
  });
  const messages = withTexts(request.messages, places, expanded.texts);
  const passed = await dependencies.preprocess(messages, { ...context, model: request.model }, diagnostics);
  if (!passed.ok)
    return { ok: false, code: 'PREPROCESSOR_FAILED', message: passed.reason, diagnostics: diagnostics.list() };
  const toolUse = expanded.forbidsTools ? 'forbidden' : 'allowed';
  return { ok: true, messages: passed.messages, toolUse, diagnostics: diagnostics.list() };
};

/** Where a text stands: the whole content of a message, or one of its parts. */
type TextPlace = ExpandableText & { readonly message: number; readonly part: number | null };

const textsOf = ({ content }: ChatMessage, of: Omit<TextPlace, 'text' | 'part'>): readonly TextPlace[] => {
  if (typeof content === 'string') return [{ ...of, text: content, part: null }];
  return (content ?? []).flatMap(({ type, text }, part) =>
    type === 'text' && text !== undefined ? [{ ...of, text, part }] : [],
  );
};

/** New messages only where a text has changed. */
const withTexts = (
  messages: readonly ChatMessage[],
  places: readonly TextPlace[],
  texts: readonly string[],
): readonly ChatMessage[] => {
  const changed = [...messages];
  for (const [index, { message, part, text: before }] of places.entries()) {
    const text = texts[index] as string;
    if (text === before) continue;
    const current = changed[message] as ChatMessage;
    const parts = current.content as readonly ChatContentPart[];
    changed[message] = {
      ...current,
      content: part === null ? text : parts.map((one, number) => (number === part ? { ...one, text } : one)),
    };
  }
  return changed;
};
