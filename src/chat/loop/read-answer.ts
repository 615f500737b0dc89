import type { InstructionParser } from '../../instruction/create-instruction-parser.ts';
import type { InstructionBlock } from '../../instruction/parser-event.ts';
import type { ModelEvent, ModelUsage } from '../../ports/language-model.ts';

/** One answer of the model, read to its end. */
export type ReadAnswer = {
  /** All that it said, blocks included. */
  readonly text: string;
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | null;
  readonly usage: ModelUsage | null;
  /** Whether it called a function of the client's own. */
  readonly hasToolCalls: boolean;
};

/**
 * Reads a stream and gives on what the client may see of it as it comes; `onBlock` is told of each block as soon as it is
 * whole. What ends an answer is kept back, since another may follow.
 */
export async function* readAnswer(
  events: AsyncIterable<ModelEvent>,
  parser: InstructionParser,
  onBlock: (block: InstructionBlock) => void,
): AsyncGenerator<ModelEvent, ReadAnswer> {
  const said: string[] = [];
  let finish: ReadAnswer['finish'] = null;
  let usage: ModelUsage | null = null;
  let hasToolCalls = false;

  const visible = (found: ReturnType<InstructionParser['push']>): ModelEvent[] =>
    found.flatMap((event) => {
      if (event.type === 'text') return [{ type: 'text' as const, choice: 0, text: event.text }];
      onBlock(event.block);
      return [];
    });

  for await (const event of events) {
    if (event.type === 'text' && event.choice === 0) {
      said.push(event.text);
      yield* visible(parser.push(event.text));
    } else if (event.type === 'finish' && event.choice === 0) finish = event;
    else if (event.type === 'usage') ({ usage } = event);
    else {
      // What is held back came before it.
      hasToolCalls ||= event.type === 'tool_call';
      yield event;
    }
  }
  yield* visible(parser.end());
  return { text: said.join(''), finish, usage, hasToolCalls };
}
