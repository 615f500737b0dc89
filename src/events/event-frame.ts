import type { VcpEvent } from '../protocol/event.ts';

/** An event as it is sent: made once, whoever gets it. */
export type EventFrame = {
  readonly id: string;
  readonly type: VcpEvent['type'];
  /** UTF-8 of the JSON text. */
  json(): Uint8Array;
  /** UTF-8 of the event in a `text/event-stream`. */
  stream(): Uint8Array;
};

const encoder = new TextEncoder();

export const createEventFrame = ({ id, type }: VcpEvent, text: string): EventFrame => {
  let json: Uint8Array | null = null;
  let stream: Uint8Array | null = null;
  return {
    id,
    type,
    json: () => (json ??= encoder.encode(text)),
    // JSON has no line breaks of its own, so one field holds it.
    stream: () => (stream ??= encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${text}\n\n`)),
  };
};
