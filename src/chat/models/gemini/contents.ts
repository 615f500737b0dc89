import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ChatMessage } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { objectsOf, textOf } from '../json-fields.ts';
import { partsOf, type PlacedPart } from '../message-parts.ts';
import { noteOtherFields } from '../other-message-fields.ts';
import type { Mapping, Path } from '../request-field.ts';
import { argumentsOf } from '../tool-arguments.ts';
import { toGeminiPart } from './part.ts';

export type GeminiContents = { readonly system: readonly JsonObject[]; readonly contents: readonly JsonObject[] };

type Turn = { readonly role: 'user' | 'model'; readonly parts: JsonObject[] };

/**
 * The conversation as turns that alternate. Results of tools are a user's parts and are told by the name of the
 * function, which is found by the id of the call. System messages stand before the conversation.
 */
export const toGeminiContents = (given: readonly ChatMessage[], mapping: Mapping): GeminiContents => {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  const add = (role: Turn['role'], parts: readonly JsonObject[]): void => {
    if (parts.length === 0) return;
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  };
  for (const [index, message] of given.entries()) {
    const path: Path = ['messages', index];
    noteOtherFields(message, ['extra_content'], path, mapping);
    const placed = partsOf(message.content, [...path, 'content'], mapping);
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length > 0)
          mapping.notice(path, 'was put in front of the conversation, where this upstream has system messages');
        system.push(...textParts(placed, mapping));
        break;
      case 'user':
        add(
          'user',
          placed.map((part) => toGeminiPart(part, mapping)),
        );
        break;
      case 'assistant':
        for (const call of objectsOf(message['tool_calls'])) names.set(textOf(call['id']), calledName(call));
        add('model', [...signed(textParts(placed, mapping), message), ...callParts(message, path, mapping)]);
        break;
      case 'tool':
        add('user', [responsePart(message, placed, names, path, mapping)]);
        break;
      default:
        throw mapping.refused([...path, 'role'], 'must be system, developer, user, assistant or tool');
    }
  }
  return { system, contents: turns };
};

const textParts = (placed: readonly PlacedPart[], mapping: Mapping): readonly { readonly text: string }[] =>
  placed.map(({ part, path }) => {
    if (part.type === 'text') return { text: part.text };
    throw mapping.refused(path, 'must be of type text: this upstream takes media from users only');
  });

const calledName = (call: JsonObject): string => {
  const called = call['function'];
  return isJsonObject(called) ? textOf(called['name']) : '';
};

/** Google's own place for the signature of a thought within messages of OpenAI's form. */
const signatureOf = ({ extra_content: extra }: JsonObject): JsonObject => {
  const google = isJsonObject(extra) ? extra['google'] : undefined;
  const signature = isJsonObject(google) ? google['thought_signature'] : undefined;
  return typeof signature === 'string' ? { thoughtSignature: signature } : {};
};

/** The signature of an answer belongs to its last part. */
const signed = (parts: readonly JsonObject[], message: ChatMessage): readonly JsonObject[] =>
  parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...signatureOf(message) } : part));

const callParts = (message: ChatMessage, path: Path, mapping: Mapping): readonly JsonObject[] => {
  if (isJsonObject(message['function_call']))
    throw mapping.refused([...path, 'function_call'], 'is not taken by this upstream; use tool_calls');
  return objectsOf(message['tool_calls']).map((call, index) => {
    const called = isJsonObject(call['function']) ? call['function'] : {};
    const place = [...path, 'tool_calls', index, 'function', 'arguments'];
    return {
      functionCall: {
        id: textOf(call['id']),
        name: textOf(called['name']),
        args: argumentsOf(textOf(called['arguments']), place, mapping),
      },
      ...signatureOf(call),
    };
  });
};

const responsePart = (
  message: ChatMessage,
  placed: readonly PlacedPart[],
  names: ReadonlyMap<string, string>,
  path: Path,
  mapping: Mapping,
): JsonObject => {
  const id: JsonValue = textOf(message['tool_call_id']);
  const name = names.get(id);
  if (name === undefined)
    throw mapping.refused([...path, 'tool_call_id'], 'must be the id of a call in an assistant message before it');
  const output = textParts(placed, mapping)
    .map(({ text }) => text)
    .join('\n');
  return { functionResponse: { id, name, response: { output } } };
};
