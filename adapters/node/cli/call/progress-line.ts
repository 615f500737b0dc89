import process from 'node:process';
import type { ProgressEvent } from '../../../../src/protocol/progress-event.ts';
import { cutTo, painterOf, printable } from '../terminal.ts';

/** Milliseconds that a call may take before it is worth a word. */
const QUIET_MS = 500;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_COLUMNS = 20;
const ERASE_LINE = '\r\u001B[2K';

/** How far a call or a task has come. */
export type ShownProgress = Pick<ProgressEvent, 'stage' | 'progress' | 'message'>;

/** Shows that something is running, until it is stopped. */
export type ProgressLine = {
  update(shown: ShownProgress): void;
  /** Writes lines that stay. */
  say(lines: string): void;
  stop(): void;
};

/** A line on the terminal that redraws itself and leaves nothing behind. */
export const createProgressLine = (stream: NodeJS.WriteStream, title: string, now: () => number): ProgressLine => {
  const started = now();
  const paint = painterOf(stream);
  let latest: ShownProgress | null = null;
  let frame = 0;
  let isDrawn = false;
  let timer: NodeJS.Timeout | null = null;

  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const seconds = Math.floor((now() - started) / 1_000);
    const parts = [title, `${seconds} s`, ...(latest === null ? [] : describe(latest))];
    // One column stays free: a full line would wrap, and only its last part would be erased.
    const line = cutTo(parts.join('  '), (stream.columns || 80) - 3);
    stream.write(`${ERASE_LINE}${paint('cyan', FRAMES[frame] as string)} ${line}`);
    isDrawn = true;
  };
  timer = setTimeout(() => {
    draw();
    timer = setInterval(draw, FRAME_MS);
  }, QUIET_MS);

  return {
    update: (event) => {
      latest = event;
    },
    say: (lines) => void stream.write(`${isDrawn ? ERASE_LINE : ''}${lines}`),
    stop: () => {
      // One function clears both kinds of timers.
      clearTimeout(timer ?? undefined);
      if (isDrawn) stream.write(ERASE_LINE);
    },
  };
};

/** A line for each report, for logs and for screen readers. */
export const createProgressLog = (stream: NodeJS.WriteStream): ProgressLine => ({
  update: (event) => void stream.write(`progress: ${textOf(event)}\n`),
  say: (lines) => void stream.write(lines),
  stop: () => undefined,
});

const textOf = ({ stage, progress, message }: ShownProgress): string =>
  [stage, progress === null ? null : `${Math.round(progress * 100)}%`, message]
    .filter((part) => part !== null)
    .map((part) => oneLine(part))
    .join('  ');

const describe = (event: ShownProgress): string[] => {
  if (event.progress === null) return [textOf(event)];
  const full = Math.round(event.progress * BAR_COLUMNS);
  return [`${'━'.repeat(full)}${'─'.repeat(BAR_COLUMNS - full)}`, textOf(event)];
};

const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ');

/** The one that fits where stderr leads to; null where nothing is to be shown. */
export const progressLineFor = (title: string, isLog: boolean): ProgressLine | null => {
  if (isLog) return createProgressLog(process.stderr);
  return process.stderr.isTTY ? createProgressLine(process.stderr, title, () => performance.now()) : null;
};
