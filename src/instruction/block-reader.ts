import { blockFaults } from './block-faults.ts';
import { BEGIN, CLOSING_QUOTE, END, LESS, OPENING_QUOTE, SLASH } from './character-codes.ts';
import { cleanValue } from './clean-value.ts';
import { createSeeker, NOWHERE, type Seeker } from './create-seeker.ts';
import type { Diagnostic } from './diagnostic.ts';
import { KEY_REACH, keyBefore, keyOfLine } from './field-key.ts';
import type { InstructionWarning } from './instruction-warning.ts';
import { BLOCK_END, BLOCK_START, ESCAPED_VALUE_END, ESCAPED_VALUE_START, VALUE_END, VALUE_START } from './markers.ts';
import type { BlockContent, BlockField } from './parser-event.ts';
import { EXAMPLE_QUOTES, partialToken } from './partial-token.ts';
import { NEAR } from './scan-ahead.ts';
import { isBlank, standsAt, standsInAnyCaseAt } from './text-at.ts';

/** Reads the inside of blocks, a window at a time: its fields, what is wrong with it, and where it ends. */
export type BlockReader = {
  /** To be called with each new text: what was not read of the last, and what came. */
  begin(window: string): void;
  /** To be called when an opening marker was read. */
  open(): void;
  /** Reads on. `closesAt` is the index behind the end marker, or -1; then all before `unread` was read. */
  read(from: number): { readonly closesAt: number; readonly unread: number };
  /** From here on only the end of the block matters: what it says is dropped. */
  drop(): void;
  /** What the block says, once it has ended or its text has. */
  content(): BlockContent;
};

/** Between fields; in a `//` remark; in a value; in a value between escaping quotes. */
type Part = 'between' | 'remark' | 'value' | 'escaped';

export const createBlockReader = (): BlockReader => {
  let text = '';
  let part: Part = 'between';
  let fields: BlockField[] = [];
  let warnings: InstructionWarning[] = [];
  let fault: Diagnostic | null = null;
  let isDropped = false;
  let isClosed = false;
  /** Blocks within an unclosed value that have opened and not closed: their end markers are not this block's. */
  let depth = 0;
  /** Whether a value was found broken, so that what follows may be quoted in it and is never a call of its own. */
  let isBroken = false;
  /** What came before this text of the value, or of the text between fields, and where it goes on in this text. */
  let earlier = '';
  let pieceFrom = 0;
  let key: string | null = null;

  const quotes = createSeeker('「');
  const markers = createSeeker('<<<[');
  const remarks = createSeeker('//');
  const newLines = createSeeker('\n');
  const escapedEnds = createSeeker(ESCAPED_VALUE_END);
  const seekers: readonly Seeker[] = [quotes, markers, remarks, newLines, escapedEnds];

  let closesAt = -1;
  let unread = -1;

  /** Begins a part: what came before does not belong to it. */
  const enter = (next: Part, at: number): number => {
    part = next;
    earlier = '';
    pieceFrom = at;
    return at;
  };

  /** Ends this reading: what may be the beginning of a token comes again. */
  const stop = (from: number): number => {
    unread = partialToken(text, from);
    if (part === 'between') {
      earlier = (earlier + text.slice(Math.max(pieceFrom, unread - KEY_REACH), unread)).slice(-KEY_REACH);
    } else if (part !== 'remark' && !isDropped) {
      earlier += text.slice(pieceFrom, unread);
    }
    return unread;
  };

  /** The text before an index, back to the last value, as far as a key reaches. */
  const before = (index: number): string => {
    const here = text.slice(Math.max(pieceFrom, index - KEY_REACH), index);
    return earlier === '' || here.length === KEY_REACH ? here : (earlier + here).slice(-KEY_REACH);
  };

  /** The key of a value that opens at an index. */
  const keyAt = (index: number): string | null => {
    if (earlier === '') return keyBefore(text, Math.max(pieceFrom, index - KEY_REACH), index);
    const reach = before(index);
    return keyBefore(reach, 0, reach.length);
  };

  /** Where the next character stands that may matter, if that is near. Keys and most values are shorter than a search. */
  const nearest = (from: number): number => {
    const window = text;
    const near = Math.min(from + NEAR, window.length);
    let at = from;
    while (at < near) {
      const code = window.charCodeAt(at);
      if (code === OPENING_QUOTE || code === LESS || code === SLASH) break;
      at += 1;
    }
    return at;
  };

  const readBetween = (from: number): number => {
    const at = nearest(from);
    if (text.charCodeAt(at) === OPENING_QUOTE) return readQuote(at);
    const quote = quotes.next(text, at);
    const remark = remarks.next(text, at);
    const marker = markers.next(text, at);
    if (quote < remark && quote < marker) return readQuote(quote);
    if (marker < remark) return readMarker(marker);
    if (remark === NOWHERE) return stop(from);
    return beginsRemark(remark) ? enter('remark', remark + 2) : remark + 1;
  };

  /** `//` after white space, a comma or nothing. In `http://` it is no remark. */
  const beginsRemark = (at: number): boolean => {
    const code = at > pieceFrom ? text.charCodeAt(at - 1) : earlier.charCodeAt(earlier.length - 1);
    return Number.isNaN(code) || code === 10 || code === 44 || code === 0xff_0c || isBlank(code);
  };

  const readQuote = (at: number): number => {
    const next = text.charCodeAt(at + 1);
    if (next === BEGIN) return readOpening(at);
    if (next === END) return readClosing(at);
    return at + 1 === text.length ? stop(at) : at + 1;
  };

  const readOpening = (at: number): number => {
    if (text.charCodeAt(at + 2) === CLOSING_QUOTE) return openValue('value', at, VALUE_START);
    const escaped = standsAt(text, at, ESCAPED_VALUE_START);
    if (escaped === true) return openValue('escaped', at, ESCAPED_VALUE_START);
    const example: ReadonlySet<boolean | 'maybe'> = new Set(
      EXAMPLE_QUOTES.map((literal) => standsInAnyCaseAt(text, at, literal)),
    );
    if (example.has(true) && !isDropped) warnings.push(blockFaults.exampleSkipped(keyAt(at)));
    else if (escaped === 'maybe' || example.has('maybe')) return stop(at);
    return at + 1;
  };

  const readClosing = (at: number): number => {
    const plain = standsAt(text, at, VALUE_END);
    const escaped = standsAt(text, at, ESCAPED_VALUE_END);
    if (plain === 'maybe' || escaped === 'maybe') return stop(at);
    if (plain || escaped) fault ??= blockFaults.valueNotOpened(keyOfLine(before(at)));
    return at + 1;
  };

  const openValue = (next: 'value' | 'escaped', at: number, opening: string): number => {
    key = keyAt(at);
    return enter(next, at + opening.length);
  };

  const readValue = (from: number): number => {
    const at = nearest(from);
    if (text.charCodeAt(at) === OPENING_QUOTE) return readQuoteInValue(at);
    const quote = quotes.next(text, at);
    const marker = markers.next(text, at);
    if (marker < quote) return readMarker(marker);
    return quote === NOWHERE ? stop(from) : readQuoteInValue(quote);
  };

  const readQuoteInValue = (quote: number): number => {
    if (quote + 1 === text.length) return stop(quote);
    const next = text.charCodeAt(quote + 1);
    if (next === END) {
      if (text.charCodeAt(quote + 2) === CLOSING_QUOTE) return closeValue(quote, VALUE_END);
      return quote + 2 === text.length ? stop(quote) : quote + 1;
    }
    return next === BEGIN ? readOpeningInValue(quote) : quote + 1;
  };

  /** A value that another one begins in was not closed. */
  const readOpeningInValue = (at: number): number => {
    const plain = standsAt(text, at, VALUE_START);
    const escaped = standsAt(text, at, ESCAPED_VALUE_START);
    if (plain === 'maybe' || escaped === 'maybe') return stop(at);
    if (!plain && !escaped) return at + 1;
    isBroken = true;
    const opening = plain ? VALUE_START : ESCAPED_VALUE_START;
    fault ??= blockFaults.valueSwallowedNext(key, opening);
    return plain ? at + opening.length : enter('escaped', at + opening.length);
  };

  const readEscaped = (from: number): number => {
    const end = escapedEnds.next(text, from);
    return end === NOWHERE ? stop(from) : closeValue(end, ESCAPED_VALUE_END);
  };

  const closeValue = (at: number, closing: string): number => {
    if (fault === null && !isDropped) {
      const raw = earlier === '' ? text.slice(pieceFrom, at) : earlier + text.slice(pieceFrom, at);
      if (key === null) fault = blockFaults.valueWithoutKey(raw);
      else fields.push({ key, value: cleanValue(raw) });
    }
    return enter('between', at + closing.length);
  };

  const readRemark = (from: number): number => {
    const end = newLines.next(text, from);
    const marker = markers.next(text, from);
    if (marker < end) return readMarker(marker);
    return end === NOWHERE ? stop(from) : enter('between', end + 1);
  };

  const readMarker = (at: number): number => {
    const ends = standsAt(text, at, BLOCK_END);
    if (ends === true) return readEnd(at + BLOCK_END.length);
    const starts = standsAt(text, at, BLOCK_START);
    if (starts === true) {
      readNestedStart();
      return at + BLOCK_START.length;
    }
    return ends === 'maybe' || starts === 'maybe' ? stop(at) : at + 4;
  };

  const readEnd = (at: number): number => {
    if (depth > 0) {
      depth -= 1;
      return at;
    }
    if (part === 'value') fault ??= blockFaults.valueNotClosed(key, false);
    isClosed = true;
    closesAt = at;
    return at;
  };

  const readNestedStart = (): void => {
    const isInValue = part === 'value';
    // Between fields the end marker was forgotten, and the next one is it.
    isBroken ||= isInValue;
    if (isBroken) depth += 1;
    fault ??= isInValue ? blockFaults.nestedInValue(key) : blockFaults.nestedBetweenFields();
  };

  const readPart = (at: number): number => {
    switch (part) {
      case 'between':
        return readBetween(at);
      case 'value':
        return readValue(at);
      case 'escaped':
        return readEscaped(at);
      case 'remark':
        return readRemark(at);
    }
  };

  return {
    begin: (window) => {
      text = window;
      pieceFrom = 0;
      for (const seeker of seekers) seeker.forget();
    },
    open: () => {
      fields = [];
      warnings = [];
      fault = null;
      isDropped = false;
      isClosed = false;
      isBroken = false;
      depth = 0;
      key = null;
      part = 'between';
      earlier = '';
    },
    read: (from) => {
      pieceFrom = from;
      closesAt = -1;
      unread = -1;
      let at = from;
      while (closesAt === -1 && unread === -1) at = readPart(at);
      return { closesAt, unread };
    },
    drop: () => {
      isDropped = true;
      fields = [];
      warnings = [];
      if (part !== 'between') earlier = '';
    },
    content: () => {
      if (!isClosed) {
        const isOpen = part === 'value' || part === 'escaped';
        fault ??= isOpen ? blockFaults.valueNotClosed(key, part === 'escaped') : blockFaults.blockNotClosed();
      }
      return fault === null ? { ok: true, fields, warnings } : { ok: false, diagnostics: [fault] };
    },
  };
};
