import { BACKTICK, BRACKET, GREATER, LESS, NEW_LINE, TILDE } from './character-codes.ts';
import { createSeeker, NOWHERE, type Seeker } from './create-seeker.ts';
import { EXAMPLE_CLOSINGS, EXAMPLE_OPENING, THINKING_TAGS } from './inert-regions.ts';
import { BLOCK_START } from './markers.ts';
import { blanksUpTo, endOfRun, NEAR, nearestOf, partialMarker } from './scan-ahead.ts';
import { isBlank, standsAt, standsInAnyCaseAt } from './text-at.ts';
import type { TextScanner } from './text-scan.ts';

/** What the characters at hand belong to. A `run` is a run of backticks or tildes whose end is not known yet. */
type Mode = 'text' | 'run' | 'code' | 'quote' | 'fence' | 'fence-end' | 'region';

export const createTextScanner = ({ runFenced }: { readonly runFenced: boolean }): TextScanner => {
  let text = '';
  let mode: Mode = 'text';
  /** Where the current scan began, and how many blanks came before it on its line; -1 when other characters did. */
  let start = 0;
  let blanksBefore = 0;
  /** The run of backticks that opened inline code on this line, and whether it may still prove to open a fence. */
  let codeRun = 0;
  let mayBeFence = false;
  /** What opened the fence, or may have: its character, how often, and whether it was indented further than a quote is. */
  let fenceMark = BACKTICK;
  let fenceLength = 0;
  let isFenceDeep = false;
  /** The run at hand: its character, how often by now, the blanks before it on its line or -1, and what it stands in. */
  let runMark = BACKTICK;
  let runLength = 0;
  let runBlanks = -1;
  let runMode: Mode = 'text';
  let opensAt = -1;
  let unread = -1;
  let held = -1;

  const less = createSeeker('<');
  const greater = createSeeker('>');
  const backtick = createSeeker('`');
  const tilde = createSeeker('~');
  const newLine = createSeeker('\n');
  const closingTag = createSeeker('</');
  const marker = createSeeker('<<<[');
  /** What the ends of the region at hand begin with, and they. */
  let regionMark = marker;
  let regionEnds: readonly string[] = [];
  const seekers: readonly Seeker[] = [less, greater, backtick, tilde, newLine, closingTag, marker];

  /** Ends this scan; what is not read of the text comes again. */
  const stop = (unreadFrom: number, heldFrom: number): number => {
    unread = unreadFrom;
    held = heldFrom;
    return unreadFrom;
  };

  const blanksAt = (index: number): number => blanksUpTo(text, start, blanksBefore, index);

  /** A run of one character; if the text ends with it, it may go on in the next. */
  const beginRun = (at: number, end: number, blanks: number): number => {
    runMark = text.charCodeAt(at);
    runLength = end - at;
    runBlanks = blanks;
    runMode = mode;
    if (end < text.length) return endRun(end);
    mode = 'run';
    return stop(end, end);
  };

  const readText = (from: number): number => {
    const window = text;
    let at = from;
    let code = 0;
    const near = Math.min(from + NEAR, window.length);
    while (at < near) {
      code = window.charCodeAt(at);
      if (code === LESS || code === BACKTICK || code === GREATER || code === TILDE) break;
      at += 1;
    }
    if (at === near) {
      at = Math.min(less.next(window, at), backtick.next(window, at), greater.next(window, at), tilde.next(window, at));
      if (at === NOWHERE) return stop(window.length, window.length);
      code = window.charCodeAt(at);
    }
    if (code === LESS) return readAngle(at);
    if (code === BACKTICK) {
      const end = endOfRun(text, at, BACKTICK);
      if (end - at >= 3 || end === window.length) return beginRun(at, end, blanksAt(at));
      // Too short for a fence, as most are.
      codeRun = end - at;
      mayBeFence = false;
      mode = 'code';
      return readCode(end);
    }
    const blanks = blanksAt(at);
    if (code === TILDE) return blanks === -1 ? at + 1 : beginRun(at, endOfRun(text, at, TILDE), blanks);
    return blanks >= 0 && blanks <= 3 ? readQuote(at + 1) : at + 1;
  };

  /** A `<`: of a run of them, the last one may begin a tag and the last three a marker. */
  const readAngle = (at: number): number => {
    let last = at;
    while (text.charCodeAt(last + 1) === LESS) last += 1;
    if (last + 1 === text.length) {
      const first = Math.max(at, last - 2);
      return stop(first, first);
    }
    const next = text.charCodeAt(last + 1);
    if (next === BRACKET && last - at >= 2) return readMarker(last - 2);
    if (next === 84 || next === 116) return readTag(last);
    return last + 1;
  };

  const readMarker = (at: number): number => {
    const opens = standsAt(text, at, BLOCK_START);
    const shows = standsInAnyCaseAt(text, at, EXAMPLE_OPENING);
    if (opens === true) {
      opensAt = at;
      return stop(at + BLOCK_START.length, at);
    }
    if (shows === true) return beginRegion(marker, EXAMPLE_CLOSINGS, at + EXAMPLE_OPENING.length);
    // An example is text, so only what may still be a block is held back.
    if (opens === 'maybe' || shows === 'maybe') return stop(at, opens === 'maybe' ? at : text.length);
    return at + 4;
  };

  const readTag = (at: number): number => {
    for (const { opening, closings } of THINKING_TAGS) {
      const stands = standsInAnyCaseAt(text, at, opening);
      if (stands === 'maybe') return stop(at, text.length);
      if (stands) {
        return beginRegion(closingTag, closings, at + opening.length);
      }
    }
    return at + 1;
  };

  const readRun = (from: number): number => {
    const at = endOfRun(text, from, runMark);
    runLength += at - from;
    return at === text.length ? stop(at, at) : endRun(at);
  };

  /** Decides, once a run of backticks or tildes has ended, what it was. */
  const endRun = (at: number): number => {
    const mayBegin = runBlanks !== -1 && runLength >= 3;
    if (runMode === 'fence') {
      const closes = mayBegin && runLength >= fenceLength && (isFenceDeep || runBlanks <= 3);
      mode = closes ? 'fence-end' : 'fence';
      return closes ? readFenceEnd(at) : at;
    }
    if (runMode === 'code') {
      mode = runLength === codeRun ? 'text' : 'code';
      mayBeFence = false;
      return at;
    }
    if (mayBegin) {
      fenceMark = runMark;
      fenceLength = runLength;
      isFenceDeep = runBlanks > 3;
    }
    if (runMark === TILDE) {
      mode = mayBegin ? 'fence' : 'text';
      return at;
    }
    mode = 'code';
    codeRun = runLength;
    mayBeFence = mayBegin;
    return readCode(at);
  };

  /** Inline code ends at its line at the latest. What opened a fence instead has no further backtick on its line. */
  const readCode = (from: number): number => {
    const window = text;
    let at = from;
    for (;;) {
      at = nearestOf(window, at, BACKTICK, NEW_LINE);
      let code = window.charCodeAt(at);
      if (code !== BACKTICK && code !== NEW_LINE) {
        at = Math.min(backtick.next(window, at), newLine.next(window, at));
        if (at === NOWHERE) return stop(window.length, window.length);
        code = window.charCodeAt(at);
      }
      if (code === NEW_LINE) {
        mode = mayBeFence ? 'fence' : 'text';
        return mayBeFence ? readFence(at + 1) : at + 1;
      }
      const end = endOfRun(text, at, BACKTICK);
      if (end === window.length) return beginRun(at, end, -1);
      mayBeFence = false;
      if (end - at === codeRun) {
        mode = 'text';
        return end;
      }
      at = end;
    }
  };

  const readFence = (from: number): number => {
    const window = text;
    const seeker = fenceMark === BACKTICK ? backtick : tilde;
    let at = from;
    for (;;) {
      const opening = runFenced ? marker.next(window, at) : NOWHERE;
      at = nearestOf(window, at, fenceMark, fenceMark);
      if (window.charCodeAt(at) !== fenceMark) at = seeker.next(window, at);
      if (opening < at) return readFencedMarker(opening);
      if (at === NOWHERE) {
        const partial = runFenced ? partialMarker(text, from) : window.length;
        return stop(partial, partial);
      }
      const blanks = blanksAt(at);
      const end = endOfRun(text, at, fenceMark);
      if (blanks !== -1 || end === window.length) return beginRun(at, end, blanks);
      at = end;
    }
  };

  const readFencedMarker = (at: number): number => {
    const opens = standsAt(text, at, BLOCK_START);
    if (opens === 'maybe') return stop(at, at);
    if (!opens) return at + 4;
    opensAt = at;
    return stop(at + BLOCK_START.length, at);
  };

  const readFenceEnd = (from: number): number => {
    let at = from;
    while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
    if (at === text.length) return stop(at, at);
    if (text.charCodeAt(at) !== NEW_LINE) {
      mode = 'fence';
      return at;
    }
    mode = 'text';
    return at + 1;
  };

  const readQuote = (from: number): number => {
    const window = text;
    let at = from;
    for (;;) {
      at = nearestOf(window, at, NEW_LINE, NEW_LINE);
      if (window.charCodeAt(at) !== NEW_LINE) at = newLine.next(window, at);
      if (at === NOWHERE) {
        mode = 'quote';
        return stop(window.length, window.length);
      }
      // Mostly another line of the quote follows.
      if (window.charCodeAt(at + 1) !== GREATER) break;
      at += 2;
    }
    mode = 'text';
    return at + 1;
  };

  /** A thought or an example: all of it is text, up to one of its ends. */
  const readRegion = (from: number): number => {
    const at = regionMark.next(text, from);
    if (at === NOWHERE) return stop(partialMarker(text, from), text.length);
    for (const closing of regionEnds) {
      const closes = standsInAnyCaseAt(text, at, closing);
      if (closes === 'maybe') return stop(at, text.length);
      if (closes) {
        mode = 'text';
        return at + closing.length;
      }
    }
    return at + 2;
  };

  const beginRegion = (mark: Seeker, ends: readonly string[], at: number): number => {
    mode = 'region';
    regionMark = mark;
    regionEnds = ends;
    return at;
  };

  const read = (at: number): number => {
    switch (mode) {
      case 'text':
        return readText(at);
      case 'run':
        return readRun(at);
      case 'code':
        return readCode(at);
      case 'quote':
        return readQuote(at);
      case 'fence':
        return readFence(at);
      case 'fence-end':
        return readFenceEnd(at);
      case 'region':
        return readRegion(at);
    }
  };

  return {
    begin: (window) => {
      text = window;
      for (const seeker of seekers) seeker.forget();
    },
    scan: (from) => {
      start = from;
      opensAt = -1;
      unread = -1;
      let at = from;
      while (unread === -1) at = read(at);
      blanksBefore = opensAt === -1 ? blanksAt(unread) : -1;
      return { opensAt, unread, held };
    },
  };
};
