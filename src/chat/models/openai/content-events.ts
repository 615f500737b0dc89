import type { ModelEvent } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { objectsOf, textOf } from '../json-fields.ts';

/**
 * The content of a delta: a text, or from some servers a list of parts, with what was thought among them. Parts of other
 * kinds are passed on.
 */
export const contentEvents = (choice: number, content: JsonValue | undefined): readonly ModelEvent[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', choice, text: content }];
  return objectsOf(content).flatMap((part): ModelEvent[] => {
    if (part['type'] === 'text') return said('text', choice, textOf(part['text']));
    if (part['type'] === 'thinking') return said('reasoning', choice, thoughtOf(part));
    return [{ type: 'extra', choice, deltaFields: { content_parts: [part] } }];
  });
};

const said = (type: 'text' | 'reasoning', choice: number, text: string): ModelEvent[] =>
  text === '' ? [] : [{ type, choice, text }];

const thoughtOf = ({ thinking }: JsonObject): string =>
  typeof thinking === 'string'
    ? thinking
    : objectsOf(thinking)
        .map(({ text }) => textOf(text))
        .join('');
