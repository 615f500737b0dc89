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
  const inert = inertSpans(text);
  const start = nextCall(text, 0, inert);
  if (start === -1) {
    const quoted = text.includes(BLOCK_START) ? '; those in code, quotes or thinking are text' : '';
    return refuse('NO_BLOCK', `the text holds no ${BLOCK_START} block${quoted}`);
  }
  const bodyStart = start + BLOCK_START.length;
  const end = endOfBlock(text, bodyStart);
  if (end === -1) return refuse('BLOCK_NOT_CLOSED', `the block has no ${BLOCK_END}`);
  if (nextCall(text, end + BLOCK_END.length, inert) !== -1) {
    return refuse('SEVERAL_BLOCKS', 'the text holds more than one block; send one call at a time');
  }
  return { ok: true, body: text.slice(bodyStart, end) };
};

const refuse = (code: Diagnostic['code'], message: string): FoundBlock => ({
  ok: false,
  diagnostic: { code, field: null, message },
});

/** A part of a text in which nothing is a call; `end` is not in it. */
type Span = { readonly start: number; readonly end: number };

/**
 * Fenced code, quoted lines and thinking, in order, none within another; found in one pass over the lines. Once a call
 * has begun, its own lines are values whatever they look like, so the pass stops there.
 */
const inertSpans = (text: string): Span[] => {
  const spans: Span[] = [];
  let position = 0;
  while (position < text.length) {
    const lineEnd = text.indexOf('\n', position);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(position, next);
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const thinking = /<(think|thinking)>/i.exec(line);
    let end = next;
    if (fence !== undefined) end = endOfFence(text, next, fence);
    else if (thinking !== null) end = endOfThinking(text, position + thinking.index, thinking[1] as string);
    else if (!/^\s{0,3}>/.test(line)) {
      const marker = line.indexOf(BLOCK_START);
      if (marker !== -1 && !isInlineCode(line, marker)) return spans;
      position = next;
      continue;
    }
    spans.push({ start: thinking === null ? position : position + thinking.index, end });
    position = end;
  }
  return spans;
};

const endOfFence = (text: string, from: number, fence: string): number => {
  const close = new RegExp(String.raw`^ {0,3}\${fence.charAt(0)}{${fence.length},}[^\S\n]*$`, 'gm');
  close.lastIndex = from;
  const found = close.exec(text);
  return found === null ? text.length : found.index + found[0].length;
};

const endOfThinking = (text: string, from: number, tag: string): number => {
  const close = new RegExp(`</${tag}>`, 'gi');
  close.lastIndex = from;
  const found = close.exec(text);
  return found === null ? text.length : found.index + found[0].length;
};

/** Whether a backtick is still open on the line where the marker stands. */
const isInlineCode = (line: string, marker: number): boolean => line.slice(0, marker).split('`').length % 2 === 0;

const nextCall = (text: string, from: number, inert: readonly Span[]): number => {
  let position = text.indexOf(BLOCK_START, from);
  while (position !== -1) {
    const span = inert.find(({ start, end }) => position >= start && position < end);
    if (span === undefined) {
      const lineStart = text.lastIndexOf('\n', position) + 1;
      if (!isInlineCode(text.slice(lineStart, position), position - lineStart)) return position;
    }
    position = text.indexOf(BLOCK_START, span?.end ?? position + 1);
  }
  return -1;
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
