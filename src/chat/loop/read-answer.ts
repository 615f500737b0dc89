import type { InstructionParser } from '../../instruction/create-instruction-parser.ts';
import type { InstructionBlock } from '../../instruction/parser-event.ts';
import type { ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import { isCutOff } from './is-cut-off.ts';
import type { RoundEvent } from './round.ts';

/** One answer of the model, read to its end. */
export type ReadAnswer = {
  /** All that it said, blocks included. */
  readonly text: string;
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | null;
  readonly usage: ModelUsage | null;
  /** Whether it called a function of the client's own. */
  readonly hasClientCalls: boolean;
};

export type ReadAnswerOptions = {
  readonly parser: InstructionParser;
  /** Whether the parser takes blocks out of the text without leaving anything. */
  readonly hidesBlocks: boolean;
  /** Told of each block as soon as it is whole. */
  onBlock(block: InstructionBlock): void;
};

/**
 * Reads a stream and gives on what the client may see of it as it comes. What ends an answer is kept back, since another
 * may follow.
 */
export async function* readAnswer(
  events: AsyncIterable<ModelEvent>,
  { parser, hidesBlocks, onBlock }: ReadAnswerOptions,
): AsyncGenerator<RoundEvent, ReadAnswer> {
  const said: string[] = [];
  let finish: ReadAnswer['finish'] = null;
  let usage: ModelUsage | null = null;
  let hasToolCalls = false;

  for await (const event of events) {
    if (event.type === 'text' && event.choice === 0) {
      said.push(event.text);
      const found = parser.push(event.text);
      // Calls do not wait for a client that reads slowly.
      for (const part of found) if (part.type === 'block') onBlock(part.block);
      for (const part of found) {
        if (part.type === 'text') yield { type: 'text', choice: 0, text: part.text };
        // A block that was too large to keep was shown as text.
        else if (hidesBlocks && part.block.raw !== '') yield { type: 'seam' };
      }
    } else if (event.type === 'finish' && event.choice === 0) finish = event;
    else if (event.type === 'usage') ({ usage } = event);
    else {
      hasToolCalls ||= event.type === 'tool_call';
      yield event;
    }
  }
  for (const found of parser.end()) {
    if (found.type === 'text') yield { type: 'text', choice: 0, text: found.text };
    // No block is whole here. A model that ran out of tokens would run out of them again.
    else if (!isCutOff(finish)) onBlock(found.block);
  }
  return { text: said.join(''), finish, usage, hasClientCalls: hasToolCalls || finish?.reason === 'function_call' };
}
