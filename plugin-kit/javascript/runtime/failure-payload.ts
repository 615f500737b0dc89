import { withAdvice } from './absent-globals.ts';
import { log } from './host-api.ts';
import { PluginError } from './plugin-error.ts';
import { withSourceLines, type SourceLines } from './source-lines.ts';

/** Written into the bundle by the build. */
declare const vcpSourceLines: () => SourceLines;

const MESSAGE_CHARACTERS = 2_000;

/** The payload of a call that threw. What was not expected is a bug; its stack goes to the log. */
export function failurePayload(thrown: unknown): object {
  if (thrown instanceof PluginError) return expectedFailure(thrown);
  const message = `the plugin failed: ${withAdvice(messageOf(thrown))}`;
  const stack = thrown instanceof Error ? withSourceLines(textOf(thrown.stack), vcpSourceLines()) : '';
  log.error(`${message}\n${stack}`);
  const details = {
    thrown: thrown instanceof Error ? textOf(thrown.name) || 'Error' : typeof thrown,
    at: placeOf(stack),
  };
  return { status: 'error', data: null, error: { code: 'INTERNAL_ERROR', message, details } };
}

function expectedFailure({ code, message, options }: PluginError): object {
  const { cause, ...rest } = options;
  return { status: 'error', data: null, error: { code, message, ...rest, cause: causeOf(cause) } };
}

function causeOf(cause: unknown): unknown {
  if (cause === undefined || cause === null) return undefined;
  if (cause instanceof Error) {
    const code = 'code' in cause ? textOf(cause.code) : textOf(cause.name);
    return { code: code || 'Error', message: messageOf(cause) };
  }
  return typeof cause === 'object' ? cause : { message: messageOf(cause) };
}

function messageOf(thrown: unknown): string {
  return textOf(thrown instanceof Error ? thrown.message : thrown) || 'without a message';
}

/** Whatever stands where a text belongs: `message` and `name` of an exception may be anything. */
function textOf(value: unknown): string {
  try {
    return String(value).slice(0, MESSAGE_CHARACTERS).toWellFormed();
  } catch {
    return '';
  }
}

/** `count (src/count.ts:14)` of the first line of a stack; null when it has none. */
function placeOf(stack: string): string | null {
  return /^\s*at (.+)$/m.exec(stack)?.[1] ?? null;
}
