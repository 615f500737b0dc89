import { failurePayload } from './failure-payload.ts';
import { seedRandom } from './globals.ts';
import { jsonFault } from './json-fault.ts';
import { readInput, serveCalls, setNow, writeError, writeOutput } from './native.ts';
import { PluginError } from './plugin-error.ts';
import type { PluginCall, PluginHandler, PluginHandlers, PluginResult } from './plugin-types.ts';

type Invocation = { command: string; arguments: Record<string, unknown>; context: Record<string, unknown> };

/** A deadline may be missing in a call made by hand; this is the latest moment that a Date can hold. */
const NO_DEADLINE_MS = 8.64e15;

/** Lets the plugin answer calls. Each comes to a new instance, which begins where the build left off. */
export function serve(handlers: PluginHandlers): void {
  if (typeof handlers !== 'function' && (typeof handlers !== 'object' || handlers === null)) {
    throw new TypeError('the default export of a plugin has to be an object of functions, or one function');
  }
  tellHandlers(handlers);
  let payload: unknown;
  const run = (): void => {
    answer(handlers).then(
      (result) => (payload = result),
      (thrown: unknown) => (payload = failurePayload(thrown)),
    );
  };
  const finish = (): void => {
    if (payload === undefined) {
      writeError(
        'the handler returned a promise that nothing settles: there are no timers and no events in the sandbox',
      );
      return;
    }
    writeOutput(textOf(payload));
  };
  serveCalls(run, finish);
}

/** To the build, which compares them with the commands of the manifest. */
function tellHandlers(handlers: PluginHandlers): void {
  const names =
    typeof handlers === 'function'
      ? null
      : Object.keys(handlers).filter((name) => typeof handlers[name] === 'function');
  Object.defineProperty(globalThis, 'vcpHandlers', { value: JSON.stringify(names) });
}

async function answer(handlers: PluginHandlers): Promise<PluginResult> {
  const invocation = JSON.parse(readInput()) as Invocation;
  const call = toCall(invocation);
  setNow(call.now.getTime());
  seedRandom(call.seed);
  const result: unknown = await handlerOf(handlers, invocation.command)(invocation.arguments, call);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new PluginError(
      'INVALID_TOOL_RESULT',
      `the handler of "${invocation.command}" returned ${describe(result)}; it has to return an object such as { data: … }`,
    );
  }
  if (!('data' in result)) {
    const fields = Object.keys(result).join(', ');
    throw new PluginError(
      'INVALID_TOOL_RESULT',
      `the handler of "${invocation.command}" returned an object without data (it has: ${fields || 'nothing'}); ` +
        'put the facts under it: return { data: … }, null when there are none',
    );
  }
  return { status: 'success', ...result };
}

function handlerOf(handlers: PluginHandlers, command: string): PluginHandler {
  if (typeof handlers === 'function') return handlers;
  const handler = Object.hasOwn(handlers, command) ? handlers[command] : undefined;
  if (handler !== undefined) return handler;
  const allowed = Object.keys(handlers);
  throw new PluginError('UNKNOWN_COMMAND', `this plugin has no command "${command}"; it has ${allowed.join(', ')}`, {
    target: 'command',
    details: { allowed },
  });
}

function toCall({ command, context }: Invocation): PluginCall {
  const given = context as Partial<Omit<PluginCall, 'now' | 'deadline'>> & { now?: string; deadline?: string };
  return {
    command,
    invocationId: given.invocationId ?? null,
    requestId: given.requestId ?? null,
    toolName: given.toolName ?? null,
    source: given.source ?? null,
    actor: given.actor ?? null,
    requestIp: given.requestIp ?? null,
    deadline: new Date(given.deadline ?? NO_DEADLINE_MS),
    now: new Date(given.now ?? 0),
    timeZone: given.timeZone ?? 'UTC',
    seed: given.seed ?? 0,
  };
}

/** Never throws: a result that cannot even be looked at is a failure of the plugin like any other. */
function textOf(payload: unknown): string {
  try {
    return checkedText(payload);
  } catch (error) {
    return JSON.stringify(failurePayload(error));
  }
}

function checkedText(payload: unknown): string {
  const fault = jsonFault(payload);
  if (fault === null) return JSON.stringify(payload);
  const { pointer, message } = fault;
  return JSON.stringify(
    failurePayload(
      new PluginError('INVALID_TOOL_RESULT', `the plugin's result at ${pointer || '(root)'} ${message}`, {
        details: { pointer },
      }),
    ),
  );
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
