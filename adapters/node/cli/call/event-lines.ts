import { fstatSync } from 'node:fs';
import process from 'node:process';

/** What happens, as one line of JSON each: named as in the server's event streams, and `accepted` for what begins a task. */
export type EventLines = (event: 'accepted' | 'vcp_info' | 'task' | 'result', data: unknown) => void;

/** Writes them on stdout, unless a person reads it there. */
export const createEventLines = (isAsked = false): EventLines | null =>
  process.stdout.isTTY && !isAsked
    ? null
    : (event, data) => void process.stdout.write(`${JSON.stringify({ event, data })}\n`);

/** Whether something may be drawn on the terminal beside them: there, or read by a program there, they would get mixed up. */
export const mayDrawBeside = (lines: EventLines | null): boolean =>
  lines === null || fstatSync(process.stdout.fd).isFile();
