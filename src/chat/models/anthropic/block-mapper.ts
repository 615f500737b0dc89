import type { ModelEvent } from '../../../ports/language-model.ts';
import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { textOf } from '../json-fields.ts';

export type BlockMapper = {
  start(index: JsonValue | undefined, block: JsonObject): ModelEvent[];
  delta(index: JsonValue | undefined, delta: JsonObject): ModelEvent[];
  stop(index: JsonValue | undefined): ModelEvent[];
};

type OpenBlock =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; thinking: string[]; signature: string }
  | { readonly type: 'tool_use'; readonly call: number; readonly input: JsonValue | undefined; hasArguments: boolean }
  | { readonly type: 'other' };

/**
 * The blocks of an answer. Thoughts are told twice: as they come, and whole with their signature when they end, in
 * `thinking_blocks`, which the next request has to bring back.
 */
export const createBlockMapper = (): BlockMapper => {
  const open = new Map<JsonValue | undefined, OpenBlock>();
  let calls = 0;

  return {
    start: (index, block) => {
      switch (block['type']) {
        case 'text':
          open.set(index, { type: 'text' });
          return said('text', textOf(block['text']));
        case 'thinking': {
          const thinking = textOf(block['thinking']);
          open.set(index, { type: 'thinking', thinking: [thinking], signature: textOf(block['signature']) });
          return said('reasoning', thinking);
        }
        case 'redacted_thinking':
          open.set(index, { type: 'other' });
          return [passedOn('thinking_blocks', block)];
        case 'tool_use': {
          const call = calls;
          calls += 1;
          open.set(index, { type: 'tool_use', call, input: block['input'], hasArguments: false });
          const named = { id: textOf(block['id']), name: textOf(block['name']) };
          return [{ type: 'tool_call', choice: 0, index: call, ...named, arguments: '' }];
        }
        default:
          open.set(index, { type: 'other' });
          return [passedOn('content_parts', block)];
      }
    },

    delta: (index, delta) => {
      const block = open.get(index);
      switch (delta['type']) {
        case 'text_delta':
          return said('text', textOf(delta['text']));
        case 'thinking_delta':
          if (block?.type === 'thinking') block.thinking.push(textOf(delta['thinking']));
          return said('reasoning', textOf(delta['thinking']));
        case 'signature_delta':
          if (block?.type === 'thinking') block.signature += textOf(delta['signature']);
          return [];
        case 'input_json_delta': {
          const text = textOf(delta['partial_json']);
          if (block?.type !== 'tool_use' || text === '') return [];
          block.hasArguments = true;
          return [{ type: 'tool_call', choice: 0, index: block.call, arguments: text }];
        }
        case 'citations_delta':
          return isJsonObject(delta['citation']) ? [passedOn('citations', delta['citation'])] : [];
        default:
          return [];
      }
    },

    stop: (index) => {
      const block = open.get(index);
      open.delete(index);
      if (block?.type === 'thinking') {
        const thinking = block.thinking.join('');
        return [passedOn('thinking_blocks', { type: 'thinking', thinking, signature: block.signature })];
      }
      // A call without arguments has no pieces of them, and a whole answer has them at once.
      if (block?.type !== 'tool_use' || block.hasArguments) return [];
      const input = isJsonObject(block.input) ? block.input : {};
      return [{ type: 'tool_call', choice: 0, index: block.call, arguments: JSON.stringify(input) }];
    },
  };
};

const said = (type: 'text' | 'reasoning', text: string): ModelEvent[] =>
  text === '' ? [] : [{ type, choice: 0, text }];

const passedOn = (field: string, value: JsonObject): ModelEvent => ({
  type: 'extra',
  choice: 0,
  deltaFields: { [field]: [value] },
});
