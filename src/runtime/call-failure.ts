import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import { toolErrorOfFailure } from '../canonical/tool-error.ts';
import type { Deadline } from '../lib/deadline.ts';
import type { Failure } from '../lib/failure.ts';
import { QueueFull } from '../lib/semaphore.ts';
import type { LogFields } from '../ports/logger.ts';
import { CallStopped, TransportError } from '../ports/transport.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import { unknownToolMessage } from '../registry/unknown-tool-message.ts';

/** The outcome of a call that came to nothing. */
export const failedOutcome = (failure: Failure, status: 'error' | 'timeout' | 'cancelled' = 'error'): CallOutcome => ({
  status,
  data: null,
  resources: [],
  warnings: [],
  error: toolErrorOfFailure(failure),
  task: null,
  presentation: null,
  aiAdvice: null,
  extensions: {},
});

/** What a fault on the way to a payload means for the caller. Faults that are nobody's but ours are thrown on. */
export const failureOfFault = (
  error: unknown,
  deadline: Deadline,
  timeoutMs: number,
): Parameters<typeof failedOutcome> => {
  const stopped =
    error instanceof CallStopped ? error.reason : error === deadline.signal.reason ? deadline.reason() : null;
  const seen: JsonValue = error instanceof CallStopped ? error.details : null;
  if (stopped === 'timeout') {
    const details = { limit: 'timeoutMs', timeoutMs, ...(seen as JsonObject | null) };
    return [
      { code: 'TOOL_TIMEOUT', message: `the tool did not answer within ${timeoutMs} ms`, retryable: true, details },
      'timeout',
    ];
  }
  if (stopped === 'cancelled' && deadline.isShutDown()) {
    const message = 'the server was stopped before the tool had answered; the tool may have acted';
    return [{ code: 'TOOL_CANCELLED', message, retryable: true, details: seen }, 'cancelled'];
  }
  if (stopped === 'cancelled')
    return [{ code: 'TOOL_CANCELLED', message: 'the call was cancelled', details: seen }, 'cancelled'];
  if (error instanceof QueueFull) {
    return [
      {
        code: 'VCP.OVERLOADED',
        message: `too many calls of this tool are waiting (${error.message}); try again later`,
        retryable: true,
      },
    ];
  }
  if (error instanceof TransportError) {
    const { code, message, details, retryable } = error;
    return [{ code, message, details, retryable }, code === 'TOOL_TIMEOUT' ? 'timeout' : 'error'];
  }
  throw error;
};

/**
 * What the log tells of a call that broke off: how a process ended or which limit was reached, and never what the plugin
 * printed or said, which may hold anything (§19.3).
 */
export const logFieldsOfFailure = (...[{ code, details }, status]: Parameters<typeof failedOutcome>): LogFields => {
  const told = (details ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof told[name] === 'string' ? { [name]: told[name] } : {});
  const { exitCode } = told;
  return {
    errorCode: code,
    status: status ?? 'error',
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    ...text('signal'),
    ...text('fault'),
    ...text('limit'),
  };
};

/**
 * The failure of a call whose tool nobody knows; it names the one that may have been meant, of those that are offered
 * to the caller: none unless told otherwise.
 */
export const unknownTool = (
  toolName: string,
  registry: ToolRegistry,
  isOffered: (toolName: string) => boolean = () => false,
): Failure => {
  const { message, suggestion } = unknownToolMessage(toolName, registry, isOffered);
  return { code: 'TOOL_NOT_FOUND', message, target: 'tool', details: suggestion === null ? null : { suggestion } };
};
