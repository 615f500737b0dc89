// What a plugin needs to speak to its host, in one file without dependencies (Node 20 or newer). Copy it beside your
// program together with vcp-plugin.d.mts, or import it from where it lies. docs/plugin-guide.md shows how it is used.
import process from 'node:process';

const VERSION = '1.0';

/** Milliseconds that handlers have to clean up once they are told to stop; the host kills the process a little later. */
const CLEAN_UP_MS = 500;

/** What the protocol allows of a progress report. */
const STAGE_CHARACTERS = 128;
const MESSAGE_CHARACTERS = 2_000;

/** A call made by hand may name no deadline; this is the latest moment that a Date can hold. */
const NO_DEADLINE_MS = 8.64e15;

/** A failure that you expect: throw it, and the caller gets it as the error of the result. */
export class PluginError extends Error {
  constructor(code, message, { target, details, retryable, category, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PluginError';
    this.code = code;
    this.target = target;
    this.details = details;
    this.retryable = retryable;
    this.category = category;
  }
}

/**
 * Serves the calls of the host until it has no more: one in the mode `oneshot`, any number at once in the mode `worker`
 * (the host says which in VCP_STDIO_MODE). `handlers` maps command identifiers to functions; one function serves all.
 * From here on console.log and process.stdout.write go to stderr: stdout belongs to the protocol.
 */
export function servePlugin(handlers) {
  const isWorker = process.env.VCP_STDIO_MODE === 'worker';
  const writeLine = takeStdout();
  const running = new Set();
  let isEnding = false;

  const end = async (exitCode) => {
    if (isEnding) return;
    isEnding = true;
    for (const { controller } of running) controller.abort();
    // Listeners of the signal have run by now; handlers that await something may still clean up.
    await Promise.race([
      Promise.all([...running].map(({ done }) => done)),
      new Promise((resolve) => setTimeout(resolve, CLEAN_UP_MS)),
    ]);
    process.exit(exitCode);
  };

  const answer = async ({ payload, invocationId }, controller) => {
    const { signal } = controller;
    let isOpen = true;
    const write = (vcp, text) => writeLine(toLine(vcp, invocationId, text));
    const progress = (report) => {
      if (!isOpen || signal.aborted) return;
      const text = progressText(report);
      if (text !== null) void write('progress', text);
    };
    const result = await resultText(handlers, payload, callOf(payload, signal, progress));
    isOpen = false;
    // A host that is going away waits for no answer.
    if (!isEnding) await write('tool-result', signal.aborted ? CANCELLED : result);
  };

  const start = (frame) => {
    const controller = new AbortController();
    const call = { invocationId: frame.invocationId, controller, done: answer(frame, controller) };
    running.add(call);
    return call.done.finally(() => running.delete(call));
  };

  const readFrames = async () => {
    for await (const line of linesOf(process.stdin)) {
      if (line.trim() === '') continue;
      const frame = parseFrame(line, isWorker);
      if (frame.vcp === 'tool-invocation') {
        if (!isWorker) return await start(frame);
        void start(frame);
      } else if (frame.vcp === 'cancel') {
        for (const call of running) if (call.invocationId === frame.invocationId) call.controller.abort();
      }
    }
  };

  process.once('SIGTERM', () => void end(143));
  process.stdout.on('error', () => void end(0)); // EPIPE: the host has gone
  // The end of stdin without a frame is no fault: a process that waited in reserve is not needed any more.
  readFrames().then(
    () => end(0),
    (fault) => {
      console.error(fault instanceof HostFault ? `vcp-plugin: ${fault.message}` : fault);
      return end(1);
    },
  );
}

/** What came in on stdin is not a frame. Nobody can be answered, so the process ends and says why. */
class HostFault extends Error {}

/** From now on only the returned function writes to stdout. It resolves when the line has left the process. */
function takeStdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (line) => new Promise((resolve) => write(line, () => resolve()));
}

/** The lines of a stream of bytes. They are decoded whole, so a character may be split between two chunks. */
async function* linesOf(stream) {
  let pieces = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      pieces.push(chunk.subarray(from, at));
      yield decode(pieces);
      pieces = [];
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield decode(pieces);
}

function decode(pieces) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new HostFault('stdin is not UTF-8');
  }
}

function parseFrame(line, isWorker) {
  let frame;
  try {
    frame = JSON.parse(line);
  } catch {
    throw new HostFault('stdin holds a line that is not JSON; a tool-invocation frame is expected');
  }
  if (!isObject(frame) || typeof frame.vcp !== 'string' || frame.version !== VERSION) {
    throw new HostFault(`stdin holds a line that is no frame with "vcp" and version "${VERSION}"`);
  }
  if (frame.vcp === 'tool-invocation') {
    if (typeof frame.payload?.command !== 'string' || !isObject(frame.payload.arguments)) {
      throw new HostFault('the tool-invocation frame has no payload.command (string) or payload.arguments (object)');
    }
    const deadline = frame.payload.context?.deadline;
    if (Number.isNaN(deadlineOf(deadline).getTime())) {
      throw new HostFault(`the deadline "${deadline}" of a call is not an RFC 3339 time`);
    }
  } else if (!isWorker) {
    throw new HostFault(`stdin holds a "${frame.vcp}" frame; a tool-invocation frame is expected`);
  }
  // A worker passes over kinds of frames that a later host may send.
  return frame;
}

function deadlineOf(time) {
  return new Date(time ?? NO_DEADLINE_MS);
}

function callOf({ command, context: given }, signal, progress) {
  const context = given ?? {};
  return {
    command,
    invocationId: context.invocationId ?? null,
    requestId: context.requestId ?? null,
    toolName: context.toolName ?? null,
    source: context.source ?? null,
    actor: context.actor ?? null,
    requestIp: context.requestIp ?? null,
    deadline: deadlineOf(context.deadline),
    resourceDir: context.resourceDir ?? null,
    dataDir: process.env.VCP_PLUGIN_DATA_DIR ?? null,
    signal,
    progress,
  };
}

/**
 * The JSON of the payload that a call comes to. Never rejects, since that would end the process and every call in it:
 * a handler that throws has an error for its result, and one that throws what cannot even be looked at has UNREADABLE.
 */
async function resultText(handlers, payload, call) {
  try {
    return JSON.stringify(checked(await run(handlers, payload, call)));
  } catch (error) {
    try {
      return JSON.stringify(checked(failurePayload(error, call)));
    } catch {
      return UNREADABLE;
    }
  }
}

function failurePayload(error, call) {
  if (error instanceof PluginError) return errorPayload(error);
  // An abort is how a cancelled handler is meant to end; everything else is a bug, and its stack is for the log.
  if (!call.signal.aborted) log(error);
  const details = { thrown: error instanceof Error ? textOf(error.name, 'Error') : typeof error };
  return errorPayload(new PluginError('INTERNAL_ERROR', `the plugin failed: ${messageOf(error)}`, { details }));
}

function log(error) {
  try {
    console.error(error);
  } catch {
    console.error('vcp-plugin: a handler threw something that cannot be printed');
  }
}

async function run(handlers, { command, arguments: args }, call) {
  try {
    const result = await handlerOf(handlers, command)(args, call);
    if (isObject(result)) {
      const { status = 'success', ...rest } = result;
      return { status, ...rest };
    }
    throw new PluginError(
      'INVALID_TOOL_RESULT',
      `the handler of "${command}" returned ${describe(result)}; it has to return an object such as { data: … }`,
    );
  } catch (error) {
    if (error instanceof PluginError) return errorPayload(error);
    throw error;
  }
}

function handlerOf(handlers, command) {
  if (typeof handlers === 'function') return handlers;
  if (Object.hasOwn(handlers, command)) return handlers[command];
  const allowed = Object.keys(handlers);
  throw new PluginError('UNKNOWN_COMMAND', `this plugin has no command "${command}"; it has ${allowed.join(', ')}`, {
    target: 'command',
    details: { allowed },
  });
}

/** What the caller reads is the host's to say; this tells the host that the call has let go. */
const CANCELLED = JSON.stringify({
  status: 'cancelled',
  data: null,
  error: { code: 'TOOL_CANCELLED', message: 'the call was cancelled' },
});

const UNREADABLE = JSON.stringify({
  status: 'error',
  data: null,
  error: { code: 'INTERNAL_ERROR', message: 'the plugin failed with an exception that cannot be read' },
});

function errorPayload({ code, message, target, details, retryable, category, cause }) {
  const error = { code, message, target, details, retryable, category, cause: causeOf(cause) };
  return { status: 'error', data: null, error };
}

function causeOf(cause) {
  if (cause === undefined || cause === null) return undefined;
  if (cause instanceof Error) return { code: textOf(cause.code ?? cause.name, 'Error'), message: messageOf(cause) };
  return isObject(cause) ? cause : { message: messageOf(cause) };
}

function messageOf(error) {
  try {
    return textOf(error instanceof Error ? error.message : error, '') || 'without a message';
  } catch {
    return 'without a message that can be read';
  }
}

/** Whatever stands where a text belongs: `message` and `name` of an exception may be anything. */
function textOf(value, otherwise) {
  try {
    return cut(value, MESSAGE_CHARACTERS);
  } catch {
    return otherwise;
  }
}

/** Progress is a courtesy and never fails the call: a report that cannot be written is null. */
function progressText(report) {
  try {
    return JSON.stringify(progressOf(report));
  } catch {
    return null;
  }
}

/** A report that goes beyond what the protocol allows is cut. */
function progressOf({ stage, progress, message } = {}) {
  return {
    stage: stage === undefined || stage === null ? null : cut(stage, STAGE_CHARACTERS),
    progress: typeof progress === 'number' && !Number.isNaN(progress) ? Math.min(1, Math.max(0, progress)) : null,
    message: message === undefined || message === null ? null : cut(message, MESSAGE_CHARACTERS),
  };
}

function cut(text, characters) {
  return String(text).slice(0, characters).toWellFormed();
}

function toLine(vcp, invocationId, payloadText) {
  return `${JSON.stringify({ vcp, version: VERSION, invocationId }).slice(0, -1)},"payload":${payloadText}}\n`;
}

function checked(payload) {
  const fault = faultIn(payload, '', []);
  if (fault === null) return payload;
  throw invalidResult(fault);
}

function invalidResult({ pointer, message }) {
  return new PluginError('INVALID_TOOL_RESULT', `the plugin's result at ${pointer || '(root)'} ${message}`, {
    details: { pointer },
  });
}

/** The first value that JSON.stringify would refuse, or lose without a word: a number as null, a Map as {}. */
function faultIn(value, pointer, above) {
  const fault = (message) => ({ pointer, message });
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : fault('holds a lone surrogate, which is not valid Unicode text');
    case 'number':
      return Number.isFinite(value) ? null : fault(`is ${value}, which JSON cannot carry`);
    case 'boolean':
    case 'undefined': // left out of an object; arrays are looked at below
      return null;
    case 'object':
      break;
    default:
      return fault(`is a ${typeof value}, which JSON cannot carry`);
  }
  if (value === null) return null;
  // A Buffer would become a list of numbers.
  if (ArrayBuffer.isView(value)) return fault('holds bytes; write them to a file and declare it as a resource');
  if (typeof value.toJSON === 'function') {
    if (value instanceof Date && Number.isNaN(value.getTime())) return fault('is an invalid Date');
    return faultIn(value.toJSON(), pointer, above);
  }
  if (above.includes(value)) return fault('refers to itself, which JSON cannot carry');
  const inside = [...above, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found =
        value[index] === undefined
          ? { pointer: `${pointer}/${index}`, message: 'is undefined, which JSON cannot carry' }
          : faultIn(value[index], `${pointer}/${index}`, inside);
      if (found !== null) return found;
    }
    return null;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return fault(`is a ${prototype.constructor?.name ?? 'class instance'}; give plain objects and arrays`);
  }
  for (const [key, child] of Object.entries(value)) {
    if (!key.isWellFormed()) return fault('has a key with a lone surrogate');
    const found = faultIn(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, inside);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value) {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
