import { createInstructionParser } from './create-instruction-parser.ts';
import type { Diagnostic } from './diagnostic.ts';
import { BLOCK_END, BLOCK_START } from './markers.ts';
import type { InstructionBlock } from './parser-event.ts';

export type FoundBlock =
  | { readonly ok: true; readonly body: string; readonly block: InstructionBlock }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/**
 * The one block of a whole text. What stands in fenced code, inline code, a quote or a model's thinking is text
 * and no call. A second block, or one that is not whole, is refused.
 */
export const findBlock = (text: string): FoundBlock => {
  // Whoever has the text whole has bounded it already.
  const parser = createInstructionParser({ limits: { instructionBlockBytes: Infinity } });
  const blocks = [...parser.push(text), ...parser.end()].flatMap((event) =>
    event.type === 'block' ? [event.block] : [],
  );
  const [block, ...others] = blocks;
  if (block === undefined) {
    const quoted = text.includes(BLOCK_START) ? '; those in code, quotes or thinking are text' : '';
    return refuse('NO_BLOCK', `the text holds no ${BLOCK_START} block${quoted}`);
  }
  const faulty = blocks.find(({ content }) => !content.ok)?.content;
  const fault = faulty?.ok === false ? faulty.diagnostics[0] : undefined;
  if (fault !== undefined) return { ok: false, diagnostic: fault };
  if (others.length > 0) {
    return refuse('SEVERAL_BLOCKS', 'the text holds more than one block; send one call at a time');
  }
  return { ok: true, body: block.raw.slice(BLOCK_START.length, -BLOCK_END.length), block };
};

const refuse = (code: Diagnostic['code'], message: string): FoundBlock => ({
  ok: false,
  diagnostic: { code, field: null, message },
});
