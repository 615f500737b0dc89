import type { River } from '../../instruction/instruction-call.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { utf8Size } from '../../lib/utf8-size.ts';
import type { ChatMessage } from '../../ports/language-model.ts';
import type { Conversation } from '../../protocol/invocation.ts';

/** Messages that are between the operator and the model; no tool is handed them. */
const OPERATOR_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/**
 * The part of a conversation that a call asks for, for its tool to read: the newest messages that fit into `maxBytes` of
 * JSON. Instructions of the operator are never part of it.
 */
export const riverOf = (river: River, messages: readonly ChatMessage[], maxBytes: number): Conversation => {
  const open = messages.filter(({ role }) => !OPERATOR_ROLES.has(role));
  const wanted = river.kind === 'last' ? open.slice(-river.count) : open;
  const kept: Conversation['messages'][number][] = [];
  let left = maxBytes;
  for (const message of wanted.toReversed()) {
    const part = river.kind === 'text' ? { role: message.role, content: textOf(message) } : message;
    left -= utf8Size(JSON.stringify(part));
    if (left < 0) break;
    kept.unshift(part);
  }
  return { messages: kept, omitted: wanted.length - kept.length };
};

const textOf = ({ content }: ChatMessage): string => {
  if (typeof content === 'string') return content;
  const parts = content ?? [];
  return parts
    .flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
};
