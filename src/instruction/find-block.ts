import type { Diagnostic } from './diagnostic.ts';
import { BLOCK_END, BLOCK_START } from './markers.ts';

export type FoundBlock =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/**
 * The body of the one block of a text. What stands in fenced code, inline code, a quote or a model's thinking is text
 * and no call. A second block, or one without its end, is refused.
 */
export const findBlock = (text: string): FoundBlock => {
  const start = nextCall(text, 0);
  if (start === -1) {
    const quoted = text.includes(BLOCK_START) ? '; those in code, quotes or thinking are text' : '';
    return refuse('NO_BLOCK', `the text holds no ${BLOCK_START} block${quoted}`);
  }
  const bodyStart = start + BLOCK_START.length;
  const end = endOfBlock(text, bodyStart);
  if (end === -1) return refuse('BLOCK_NOT_CLOSED', `the block has no ${BLOCK_END}`);
  if (nextCall(text, end + BLOCK_END.length) !== -1) {
    return refuse('SEVERAL_BLOCKS', 'the text holds more than one block; send one call at a time');
  }
  return { ok: true, body: text.slice(bodyStart, end) };
};

const refuse = (code: Diagnostic['code'], message: string): FoundBlock => ({
  ok: false,
  diagnostic: { code, field: null, message },
});

/** What changes how the rest of a line is read: a run of backticks, a model's thinking, a call, the end of the line. */
const TOKEN = /`+|<think(?:ing)?>|<<<\[TOOL_REQUEST\]>>>|\n/gi;
const QUOTE = /[^\S\n]{0,3}>/y;
/** As in CommonMark, but indented as deep as one likes: a list item indents its code. */
const FENCE = /([^\S\n]*)(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/y;

/** Where the next call begins, or -1. The text is passed over once, so the time grows with its length alone. */
const nextCall = (text: string, from: number): number => {
  let position = from;
  // The run of backticks that has opened inline code on this line; only one of the same length closes it.
  let code: string | null = null;
  while (position < text.length) {
    if (position === 0 || text[position - 1] === '\n') {
      const inert = endOfInertLines(text, position);
      if (inert > position) {
        position = inert;
        continue;
      }
    }
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(text);
    if (token === null) return -1;
    const [mark] = token;
    position = token.index + mark.length;
    if (mark === '\n') code = null;
    else if (mark.startsWith('`')) code = code === null ? mark : code === mark ? null : code;
    else if (code !== null) continue;
    else if (mark === BLOCK_START) return token.index;
    else if (mark.startsWith('<t') || mark.startsWith('<T')) position = endOfThinking(text, position, mark);
  }
  return -1;
};

/** The end of the fenced code or the quoted line that begins here; `position` itself when neither does. */
const endOfInertLines = (text: string, position: number): number => {
  QUOTE.lastIndex = position;
  if (QUOTE.test(text)) return endOfLine(text, position);
  FENCE.lastIndex = position;
  const [, indentation = '', fence] = FENCE.exec(text) ?? [];
  if (fence === undefined) return position;
  const indented = indentation.length > 3 ? '*' : '{0,3}';
  const close = new RegExp(`^[^\\S\\n]${indented}${fence.charAt(0)}{${fence.length},}[^\\S\\n]*$`, 'gm');
  close.lastIndex = endOfLine(text, position);
  return close.test(text) ? endOfLine(text, close.lastIndex) : text.length;
};

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
};

const endOfThinking = (text: string, from: number, tag: string): number => {
  const close = new RegExp(tag.replace('<', '</'), 'gi');
  close.lastIndex = from;
  return close.test(text) ? close.lastIndex : text.length;
};

/** The end marker that closes the block: one inside an escaped value is part of the value. */
const endOfBlock = (text: string, from: number): number => {
  let position = from;
  let end = text.indexOf(BLOCK_END, position);
  for (;;) {
    if (end !== -1 && end < position) end = text.indexOf(BLOCK_END, position);
    const escape = text.indexOf('「始ESCAPE」', position);
    if (escape === -1 || end === -1 || end < escape) return end;
    const close = text.indexOf('「末ESCAPE」', escape);
    if (close === -1) return end;
    position = close;
  }
};
