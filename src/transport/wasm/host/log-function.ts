import { z } from 'zod';
import type { JsonBounds } from '../../../lib/check-json-value.ts';
import type { Logger } from '../../../ports/logger.ts';
import { LOG_LINE_BYTES } from '../../../ports/wasm-sandbox.ts';
import type { HostFunction } from './host-function.ts';
import { readRequest } from './read-request.ts';

const LogLine = z.strictObject({ level: z.enum(['debug', 'info', 'warning', 'error']), message: z.string() });

const encoder = new TextEncoder();

/**
 * Writes a guest's lines to the log. From the first that does not fit on, they are dropped and their bytes counted,
 * roughly. Each line counts `LOG_LINE_BYTES` beside its text, or there would be no end of empty ones.
 */
export const createLogFunction = ({
  logger,
  logBytes,
  bounds,
  redact,
}: {
  /** One whose lines carry the ids of the call. */
  readonly logger: Logger;
  readonly logBytes: number;
  readonly bounds: JsonBounds;
  /** Takes out what no log may hold (§19.3). */
  redact(text: string): string;
}): { readonly log: HostFunction; droppedBytes(): number } => {
  let left = logBytes;
  let dropped = 0;

  return {
    droppedBytes: () => dropped,
    log: async (call) => {
      // What cannot fit is not even read. Six characters of JSON text may be one byte of the line.
      if (dropped > 0 || call.request.length > 6 * left + 1_024) {
        dropped += call.request.length + LOG_LINE_BYTES;
        return { ok: null };
      }
      const { level, message } = readRequest(call, LogLine, bounds, { mostCharacters: call.request.length });
      const bytes = encoder.encode(message).byteLength + LOG_LINE_BYTES;
      if (bytes > left) {
        dropped += bytes;
        return { ok: null };
      }
      left -= bytes;
      logger[level === 'warning' ? 'warn' : level]('plugin.log', { message: redact(message) });
      return { ok: null };
    },
  };
};
