import type { ChatMessage } from '../ports/language-model.ts';

/** The variable whose value tells a model how tools are called, and which there are. */
const ALL_TOOLS = '{{VCPAllTools}}';

/** An operator who names tools, or forbids them, has said what the model is to know. */
const SAYS_ITSELF = /\{\{VCP(?!_)[^{}]+\}\}|\[\[VCPToolUse=Forbidden\]\]/u;

const OPERATOR_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/** The messages with a word on the tools: at the end of the first system message, or in one of its own before all others. */
export const addToolPrompt = (messages: readonly ChatMessage[]): readonly ChatMessage[] => {
  const operators = messages.filter(({ role }) => OPERATOR_ROLES.has(role));
  if (operators.some((message) => SAYS_ITSELF.test(textOf(message)))) return messages;
  const first = operators.find(({ content }) => typeof content === 'string');
  if (first === undefined) return [{ role: 'system', content: ALL_TOOLS }, ...messages];
  return messages.map((message) =>
    message === first ? { ...message, content: `${message.content as string}\n\n${ALL_TOOLS}` } : message,
  );
};

const textOf = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
