import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ModelEvent } from '../../../ports/language-model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { objectsOf, orNothing, textOf } from '../json-fields.ts';
import type { StreamMapper } from '../stream-mapper.ts';
import { createBlockMapper } from './block-mapper.ts';
import { anthropicFinishReason } from './finish-reason.ts';
import { anthropicUsage } from './usage.ts';

/** The events of a stream, or a whole message, which is told as the stream of it would be. */
export const createAnthropicMapper = (): StreamMapper => {
  const blocks = createBlockMapper();
  let usage: JsonObject = {};
  let isFinished = false;

  const start = (message: JsonObject): ModelEvent[] => {
    countUsage(message);
    return [{ type: 'start', id: orNothing(message['id']), model: orNothing(message['model']) }];
  };

  /** Later counts replace earlier ones; those that are left out stay. */
  const countUsage = ({ usage: told }: JsonObject): void => {
    if (isJsonObject(told)) usage = { ...usage, ...known(told) };
  };

  const finish = (word: string): ModelEvent[] => {
    if (word === '' || isFinished) return [];
    isFinished = true;
    const reason = anthropicFinishReason(word);
    return [{ type: 'finish', choice: 0, reason, native: reason === word ? null : word }];
  };

  return {
    events: (message) => {
      switch (message['type']) {
        case 'message_start':
          return start(isJsonObject(message['message']) ? message['message'] : {});
        case 'content_block_start':
          return blocks.start(message['index'], asObject(message['content_block']));
        case 'content_block_delta':
          return blocks.delta(message['index'], asObject(message['delta']));
        case 'content_block_stop':
          return blocks.stop(message['index']);
        case 'message_delta':
          countUsage(message);
          return finish(textOf(asObject(message['delta'])['stop_reason']));
        case 'message': {
          const told = objectsOf(message['content']).flatMap((block, index) => [
            ...blocks.start(index, block),
            ...blocks.stop(index),
          ]);
          return [...start(message), ...told, ...finish(textOf(message['stop_reason']))];
        }
        // Pings, the end, and what later versions may add.
        default:
          return [];
      }
    },
    end: () => (isFinished ? [{ type: 'usage', usage: anthropicUsage(usage) }] : null),
  };
};

const asObject = (value: JsonObject[string] | undefined): JsonObject => (isJsonObject(value) ? value : {});

const known = (counts: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null));
