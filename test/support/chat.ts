import { createMemoryPromptFiles } from '../../adapters/memory/memory-prompt-files.ts';
import { createDiagnosticList, type ChatDiagnostic } from '../../src/chat/chat-diagnostic.ts';
import type { ChatMessage } from '../../src/chat/chat-message.ts';
import { prepareRequest, type ChatContext, type PrepareDependencies } from '../../src/chat/prepare-request.ts';
import { expandVariables } from '../../src/chat/variables/expand-variables.ts';
import { promptVariables } from '../../src/chat/variables/prompt-variables.ts';
import { plainValue, type VariableSource } from '../../src/chat/variables/variable-source.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';

/** Variables of settings and files, as an operator would have written them. */
export const promptsOf = (
  settings: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  model = 'gpt-4o',
): VariableSource =>
  promptVariables({
    settings: new Map(Object.entries(settings)),
    files: createMemoryPromptFiles(new Map(Object.entries(files)), DEFAULT_LIMITS.promptFileBytes),
    model,
  });

/** Values that come from elsewhere, and are inserted as they are. */
export const plainValues = (values: Readonly<Record<string, string>>): VariableSource => ({
  find: (name) => (Object.hasOwn(values, name) ? plainValue(values[name] as string) : null),
});

export type ExpandedText = { readonly text: string; readonly diagnostics: readonly ChatDiagnostic[] };

/** One text of an operator, expanded. */
export const expand = async (
  text: string,
  sources: readonly VariableSource[],
  limits: Partial<Limits> = {},
): Promise<ExpandedText> => {
  const diagnostics = createDiagnosticList(16);
  const { texts } = await expandVariables([{ text, isExpanded: true, isOperators: true }], {
    sources,
    limits: { ...DEFAULT_LIMITS, ...limits },
    diagnostics,
    unavailableText: (name) => `[no ${name}]`,
  });
  return { text: texts[0] as string, diagnostics: diagnostics.list() };
};

export const chatContext: ChatContext = {
  requestId: 'req_01K00000000000000000000000',
  owner: 'tests',
  isOffered: () => true,
};

/** Prepares messages with what is given, and without preprocessors unless they are given. */
export const prepare = (messages: readonly ChatMessage[], more: Partial<PrepareDependencies> = {}) =>
  prepareRequest({ model: 'gpt-4o', messages }, chatContext, {
    expandedRoles: new Set(['system', 'developer']),
    sources: () => [],
    unavailableText: (name) => `[no ${name}]`,
    preprocess: (passed) => Promise.resolve({ ok: true, messages: passed }),
    limits: DEFAULT_LIMITS,
    ...more,
  });
