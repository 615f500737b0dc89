import { joinBytes } from '../../lib/bytes.ts';
import { giveBack } from '../../lib/give-back.ts';
import { describeIssues, issuesOf } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { EXCERPT_BYTES, excerptOfBytes } from '../../lib/excerpt-of-bytes.ts';
import { StdoutFrame } from '../../protocol/stdio-frame.ts';

/** What a plugin printed that is not a frame. `excerpt` quotes its first bytes, made printable. */
export type FrameFault = {
  readonly kind: 'not-a-frame' | 'too-large' | 'invalid-utf8';
  readonly message: string;
  readonly excerpt: string;
};

/** Turns the bytes of stdout into frames, in whatever pieces they come (§11.2). */
export type FrameReader = {
  /** The frames that these bytes complete, which are not needed after it. After the first fault everything is dropped. */
  push(chunk: Uint8Array): StdoutFrame[];
  /** The end of the output: a last line needs no line break. */
  end(): StdoutFrame[];
  readonly fault: FrameFault | null;
};

export type FrameReaderLimits = Pick<Limits, 'frameBytes' | 'jsonDepth' | 'jsonNodes'>;

/** Memory that a reader keeps for its next line of many pieces. */
const KEPT_BYTES = 4 * 1024 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * One JSON frame a line. One byte-order mark at the very start, CRLF line ends and empty lines are accepted; anything
 * else is a fault. At most one line is held in memory, and never more than `frameBytes` of it.
 */
export const createFrameReader = (limits: FrameReaderLimits): FrameReader => {
  /** The begin of a line whose end has not come yet, in the first `held` bytes. */
  let memory = new Uint8Array();
  let held = 0;
  let atStart = true;
  let fault: FrameFault | null = null;

  const forget = () => {
    held = 0;
    if (memory.length <= KEPT_BYTES) return;
    giveBack(memory);
    memory = new Uint8Array();
  };

  const fail = (kind: FrameFault['kind'], message: string, bytes: Uint8Array) => {
    fault = { kind, message, excerpt: excerptOfBytes(bytes) };
    forget();
  };

  const failIfTooLarge = (more: Uint8Array): boolean => {
    if (held + more.length <= limits.frameBytes) return false;
    // One byte more than is quoted, so that the excerpt says that it is one however the output was cut.
    const quoted = joinBytes([memory.subarray(0, held), more].map((bytes) => bytes.subarray(0, EXCERPT_BYTES + 1)));
    fail('too-large', `a frame is larger than ${limits.frameBytes} bytes`, quoted);
    return true;
  };

  const hold = (bytes: Uint8Array) => {
    if (held + bytes.length > memory.length) {
      const larger = new Uint8Array(Math.min(2 * (held + bytes.length), limits.frameBytes));
      larger.set(memory.subarray(0, held));
      giveBack(memory);
      memory = larger;
    }
    memory.set(bytes, held);
    held += bytes.length;
  };

  const readLine = (whole: Uint8Array, frames: StdoutFrame[]) => {
    const line = trimLine(whole, atStart);
    atStart = false;
    if (line.length === 0) return;
    const frame = parseFrame(line, limits);
    if ('fault' in frame) fail(frame.fault, frame.message, line);
    else frames.push(frame.frame);
  };

  /** What has been held, as one line. */
  const readHeld = (frames: StdoutFrame[]) => {
    readLine(memory.subarray(0, held), frames);
    forget();
  };

  return {
    get fault() {
      return fault;
    },
    push: (chunk) => {
      const frames: StdoutFrame[] = [];
      let from = 0;
      while (fault === null && from < chunk.length) {
        const lineEnd = chunk.indexOf(LINE_FEED, from);
        const bytes = chunk.subarray(from, lineEnd === -1 ? chunk.length : lineEnd);
        from += bytes.length + 1;
        if (failIfTooLarge(bytes)) break;
        // Mostly a line comes in one piece, which needs no copy.
        if (lineEnd !== -1 && held === 0) readLine(bytes, frames);
        else {
          hold(bytes);
          if (lineEnd !== -1) readHeld(frames);
        }
      }
      return frames;
    },
    end: () => {
      const frames: StdoutFrame[] = [];
      if (fault === null && held > 0) readHeld(frames);
      return frames;
    },
  };
};

const trimLine = (line: Uint8Array, first: boolean): Uint8Array => {
  const start = first && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  return line.subarray(start, Math.max(start, end));
};

type ParsedFrame = { readonly frame: StdoutFrame } | { readonly fault: FrameFault['kind']; readonly message: string };

/** What the author of a plugin has to know to mend it. */
const STDOUT_RULE = 'stdout takes frames only, each one line of JSON; print everything else to stderr';

const isBarePayload = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Object.hasOwn(value, 'vcp') && Object.hasOwn(value, 'status');

const parseFrame = (line: Uint8Array, limits: FrameReaderLimits): ParsedFrame => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    return { fault: 'invalid-utf8', message: 'stdout is not valid UTF-8' };
  }
  // A frame adds two levels (itself and `payload`) to the depth that its payload may have.
  const parsed = parseJson(text, { jsonDepth: limits.jsonDepth + 2, jsonNodes: limits.jsonNodes });
  if (!parsed.ok) {
    const where = parsed.issue.pointer === '' ? '' : ` at ${parsed.issue.pointer}`;
    return {
      fault: 'not-a-frame',
      message: `stdout holds a line that ${parsed.issue.message}${where}; ${STDOUT_RULE}`,
    };
  }
  const frame = StdoutFrame.safeParse(parsed.value);
  if (frame.success) return { frame: frame.data };
  return {
    fault: 'not-a-frame',
    message: isBarePayload(parsed.value)
      ? 'stdout holds a bare payload; wrap it: {"vcp":"tool-result","version":"1.0","payload":…}'
      : `stdout holds a line that is no protocol frame: ${describeIssues(issuesOf(frame.error))}; ${STDOUT_RULE}`,
  };
};
