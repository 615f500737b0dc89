import type { Limits } from '../lib/limits.ts';
import { createBlockReader } from './block-reader.ts';
import { BLOCK_START } from './markers.ts';
import type { BlockContent, ParserEvent } from './parser-event.ts';
import { summaryOfBlock } from './summary-of-block.ts';
import { createTextScanner } from './text-scanner.ts';

/** What is to be seen of a block: nothing, its own text, or a line that names its tool. */
export type BlockDisplay = 'hidden' | 'shown' | 'summary';

export type InstructionParserOptions = {
  /** `hidden` when it is not said. */
  readonly display?: BlockDisplay;
  /** Whether blocks in fenced code are calls too. */
  readonly runFenced?: boolean;
  readonly limits: Pick<Limits, 'instructionBlockBytes'>;
};

/** Takes a text in pieces of any size. How it is cut makes no difference to what comes out, put together. */
export type InstructionParser = {
  /** Takes the next piece, and tells what is certain by now. */
  push(chunk: string): ParserEvent[];
  /** Tells what was held back; what is open now will not be closed. Afterwards a new text may be pushed. */
  end(): ParserEvent[];
};

/**
 * Tells the calls of a text from its prose while it comes in (`docs/instruction-protocol.md`). At most 19 characters of
 * prose are held back, and of a block that is not shown at most the bytes that it may have.
 */
export const createInstructionParser = ({
  display = 'hidden',
  runFenced = false,
  limits,
}: InstructionParserOptions): InstructionParser => {
  const mostBytes = limits.instructionBlockBytes;
  const block = createBlockReader();
  let scanner = createTextScanner({ runFenced });
  /** The end of the last piece that may be the beginning of something, and how much of it was shown. */
  let carry = '';
  let shown = 0;
  let isInBlock = false;
  /** The block's text before the current window. */
  let raw = '';
  let isTooLarge = false;

  /** Whether a block with this text after `raw` is certainly too large: a character has no less than a byte a unit. */
  const exceeds = (piece: string): boolean => isTooLarge || raw.length + piece.length > mostBytes;

  const openBlock = (): void => {
    isInBlock = true;
    isTooLarge = false;
    raw = BLOCK_START;
    block.open();
  };

  const dropBlock = (): void => {
    isTooLarge = true;
    raw = '';
    block.drop();
  };

  /** Whether the text of the open block is shown as it comes. */
  const isSeen = (): boolean => display === 'shown' || isTooLarge;

  /** Ends the block with the last piece of its text, and tells it behind what is to be seen of it. */
  const closeBlock = (piece: string, isWhole: boolean, events: ParserEvent[]): void => {
    const wasSeen = isSeen();
    const text = raw + piece;
    // A unit has at most three bytes, so only long blocks are counted.
    const isLarge = exceeds(piece) || (text.length * 3 > mostBytes && utf8Bytes(text) > mostBytes);
    const content: BlockContent = isLarge ? tooLarge(mostBytes) : block.content();
    // What is no whole block is no block to hide: its text is shown, so that nobody loses a word.
    if (!wasSeen && (isLarge || !isWhole)) addText(events, text);
    else if (!wasSeen && display === 'summary') addText(events, summaryOfBlock(content));
    events.push({ type: 'block', block: { raw: isLarge ? '' : text, content } });
    isInBlock = false;
    raw = '';
  };

  const push = (chunk: string): ParserEvent[] => {
    const window = carry + chunk;
    const events: ParserEvent[] = [];
    let at = 0;
    /** Text before this index was shown, or is not to be. */
    let shownUpTo = shown;
    const show = (to: number): void => {
      if (to <= shownUpTo) return;
      addText(events, window.slice(shownUpTo, to));
      shownUpTo = to;
    };
    scanner.begin(window);
    block.begin(window);
    for (;;) {
      if (!isInBlock) {
        const { opensAt, unread, held } = scanner.scan(at);
        at = unread;
        show(opensAt === -1 ? held : opensAt);
        if (opensAt === -1) break;
        openBlock();
      }
      const { closesAt, unread } = block.read(at);
      if (closesAt === -1) {
        const piece = window.slice(at, unread);
        if (!isTooLarge && exceeds(piece)) {
          if (!isSeen()) {
            addText(events, raw);
            shownUpTo = at;
          }
          dropBlock();
        }
        if (!isTooLarge) raw += piece;
        if (isSeen()) show(window.length);
        at = unread;
        break;
      }
      if (isSeen()) show(closesAt);
      closeBlock(window.slice(at, closesAt), true, events);
      at = closesAt;
      shownUpTo = closesAt;
    }
    carry = window.slice(at);
    shown = Math.max(0, shownUpTo - at);
    return events;
  };

  const end = (): ParserEvent[] => {
    const events: ParserEvent[] = [];
    if (!isInBlock || isSeen()) addText(events, carry.slice(shown));
    if (isInBlock) closeBlock(carry, false, events);
    carry = '';
    shown = 0;
    scanner = createTextScanner({ runFenced });
    return events;
  };

  return { push, end };
};

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/** Text that follows text becomes one event with it. */
const addText = (events: ParserEvent[], text: string): void => {
  if (text === '') return;
  const last = events.at(-1);
  if (last?.type === 'text') events[events.length - 1] = { type: 'text', text: last.text + text };
  else events.push({ type: 'text', text });
};

const tooLarge = (mostBytes: number): BlockContent => ({
  ok: false,
  diagnostics: [
    {
      code: 'BLOCK_TOO_LARGE',
      field: null,
      message: `the block has more than ${mostBytes} bytes; send less at a time, or a file`,
    },
  ],
});
