import type { ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What all chunks of an answer have in common. */
export type ChunkFrame = { readonly id: string; readonly created: number; readonly model: string };

/**
 * The events of an answer as OpenAI's `chat.completion.chunk` objects. Usage comes in a last chunk without choices, to
 * those who asked for it.
 */
export const createChunkWriter = (frame: ChunkFrame, includeUsage: boolean) => {
  const begun = new Set<number>();
  let { model } = frame;

  const chunk = (choices: readonly JsonObject[], fields: JsonObject = {}): JsonObject => ({
    ...fields,
    id: frame.id,
    object: 'chat.completion.chunk',
    created: frame.created,
    model,
    choices: [...choices],
    ...(includeUsage && fields['usage'] === undefined ? { usage: null } : {}),
  });

  /** A choice begins with its role, as OpenAI's do. */
  const delta = (
    index: number,
    part: JsonObject,
    fields: JsonObject = {},
    finish: string | null = null,
  ): JsonObject => {
    const role = begun.has(index) ? {} : { role: 'assistant' };
    begun.add(index);
    return { ...fields, index, delta: { ...role, ...part }, finish_reason: finish };
  };

  const usageChunk = (usage: ModelUsage): readonly JsonObject[] => (includeUsage ? [chunk([], { usage })] : []);

  return {
    write: (event: ModelEvent): readonly JsonObject[] => {
      switch (event.type) {
        case 'notice':
          return [];
        case 'start':
          model = event.model ?? model;
          return [];
        case 'text':
          return [chunk([delta(event.choice, { content: event.text })])];
        case 'reasoning':
          return [chunk([delta(event.choice, { reasoning_content: event.text })])];
        case 'tool_call': {
          const { choice, index, id, name, arguments: args, extra = {} } = event;
          const call = {
            ...extra,
            index,
            ...(id === undefined ? {} : { id, type: 'function' }),
            function: { ...(name === undefined ? {} : { name }), arguments: args },
          };
          return [chunk([delta(choice, { tool_calls: [call] })])];
        }
        case 'extra': {
          const { choice, chunkFields, choiceFields, deltaFields } = event;
          const choices =
            choiceFields === undefined && deltaFields === undefined
              ? []
              : [delta(choice, deltaFields ?? {}, choiceFields ?? {})];
          return [chunk(choices, chunkFields ?? {})];
        }
        case 'finish':
          return [chunk([delta(event.choice, {}, {}, event.reason)])];
        case 'usage':
          return usageChunk(event.usage);
        default:
          return [];
      }
    },
  };
};
