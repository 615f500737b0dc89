import type { ChatMessage } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { objectsOf, textOf } from '../json-fields.ts';
import { partsOf } from '../message-parts.ts';
import type { Mapping, Path } from '../request-field.ts';
import { noteOtherFields } from '../other-message-fields.ts';
import { argumentsOf } from '../tool-arguments.ts';
import { isJsonObject } from '../../../lib/is-json-object.ts';
import { toAnthropicBlock } from './block.ts';
import { toAnthropicCallId } from './call-id.ts';

export type AnthropicMessages = { readonly system: readonly JsonObject[]; readonly messages: readonly JsonObject[] };

type Turn = { readonly role: 'user' | 'assistant'; readonly content: JsonObject[] };

const KNOWN = ['thinking_blocks'];

/**
 * The conversation as turns that alternate: results of tools are a user's blocks, and what follows each other from one
 * side is one turn, as Anthropic wants results together. System messages stand before the conversation.
 */
export const toAnthropicMessages = (given: readonly ChatMessage[], mapping: Mapping): AnthropicMessages => {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const add = (role: Turn['role'], blocks: readonly JsonObject[]): void => {
    if (blocks.length === 0) return;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  };
  for (const [index, message] of given.entries()) {
    const path: Path = ['messages', index];
    noteOtherFields(message, KNOWN, path, mapping);
    const blocks = (): readonly JsonObject[] =>
      partsOf(message.content, [...path, 'content'], mapping, ['cache_control']).map((placed) => ({
        ...toAnthropicBlock(placed, mapping),
        ...placed.own,
      }));
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length > 0)
          mapping.notice(path, 'was put in front of the conversation, where this upstream has system messages');
        system.push(...onlyTexts(blocks(), path, mapping));
        break;
      case 'user':
        add('user', blocks());
        break;
      case 'assistant':
        add('assistant', [
          ...thinkingOf(message),
          ...onlyTexts(blocks(), path, mapping),
          ...callsOf(message, path, mapping),
        ]);
        break;
      case 'tool':
        add('user', [resultOf(message, blocks())]);
        break;
      default:
        throw mapping.refused([...path, 'role'], 'must be system, developer, user, assistant or tool');
    }
  }
  return { system, messages: withoutTrailingSpace(turns) };
};

const onlyTexts = (blocks: readonly JsonObject[], path: Path, mapping: Mapping): readonly JsonObject[] => {
  if (blocks.some(({ type }) => type !== 'text'))
    throw mapping.refused(
      [...path, 'content'],
      'may only have parts of type text: this upstream takes media from users and tools',
    );
  return blocks;
};

/** Thoughts come back as they were given, signed: without them a model that thinks refuses its own tool calls. */
const thinkingOf = ({ thinking_blocks: blocks }: ChatMessage): readonly JsonObject[] =>
  objectsOf(blocks).filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');

const callsOf = (message: ChatMessage, path: Path, mapping: Mapping): readonly JsonObject[] => {
  if (isJsonObject(message['function_call']))
    throw mapping.refused([...path, 'function_call'], 'is not taken by this upstream; use tool_calls');
  return objectsOf(message['tool_calls']).map((call, index) => {
    const called = isJsonObject(call['function']) ? call['function'] : {};
    const place = [...path, 'tool_calls', index, 'function', 'arguments'];
    return {
      type: 'tool_use',
      id: toAnthropicCallId(textOf(call['id'])),
      name: textOf(called['name']),
      input: argumentsOf(textOf(called['arguments']), place, mapping),
    };
  });
};

const resultOf = (message: ChatMessage, content: readonly JsonObject[]): JsonObject => ({
  type: 'tool_result',
  tool_use_id: toAnthropicCallId(textOf(message['tool_call_id'])),
  ...(content.length === 0 ? {} : { content: plainText(content) ?? content }),
});

/** One text alone is written as a text. */
const plainText = (content: readonly JsonObject[]): JsonValue | null => {
  const [only] = content;
  return content.length === 1 && only?.['type'] === 'text' ? textOf(only['text']) : null;
};

/** An answer that the model is to go on with must not end with white space. */
const withoutTrailingSpace = (turns: readonly Turn[]): readonly JsonObject[] => {
  const last = turns.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== 'assistant' || end?.['type'] !== 'text') return turns;
  const text = textOf(end['text']).trimEnd();
  const content = [...last.content.slice(0, -1), ...(text === '' ? [] : [{ ...end, text }])];
  return [...turns.slice(0, -1), ...(content.length === 0 ? [] : [{ ...last, content }])];
};
