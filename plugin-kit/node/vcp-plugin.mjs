// What a plugin needs to speak to its host, in one file without dependencies (Node 20 or newer). Copy it beside your
// program together with vcp-plugin.d.mts, or import it from where it lies. docs/plugin-guide.md shows how it is used.
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = '1.0';

/** Milliseconds that handlers have to clean up once they are told to stop; the host kills the process a little later. */
const CLEAN_UP_MS = 500;

/** What the protocol allows of a progress report. */
const STAGE_CHARACTERS = 128;
const MESSAGE_CHARACTERS = 2_000;

/** A callback may have 16 MiB, and Base64 makes four bytes of three. */
const CALLBACK_FILE_BYTES = 11 * 1024 * 1024;

/** Milliseconds that one callback may take, that pass between two reports of progress, and between two attempts. */
const CALLBACK_MS = 60_000;
const PROGRESS_INTERVAL_MS = 500;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** Attempts to deliver the end of a task: about five minutes, in which a host may start again. */
const DELIVERY_ATTEMPTS = 15;

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
    let work = null;
    const call = callOf(payload, signal, progress, (later) => {
      work = later;
    });
    const result = await resultText(handlers, payload, call);
    isOpen = false;
    // A host that is going away waits for no answer.
    if (isEnding) return;
    await write('tool-result', signal.aborted ? CANCELLED : result);
    if (work !== null && !signal.aborted && isAccepted(result)) await finishTask(work, call);
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

function callOf({ command, context: given }, signal, progress, workLater) {
  const context = given ?? {};
  const task = context.task ?? null;
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
    task,
    inBackground: (work) => {
      if (task === null) {
        throw new PluginError(
          'INTERNAL_ERROR',
          `the host gave "${command}" no task; its manifest has to say "async": true, or pluginType "asynchronous"`,
        );
      }
      workLater(work);
      return { status: 'accepted', data: {}, task: { id: task.id, state: 'running' } };
    },
  };
}

function isAccepted(payloadText) {
  return JSON.parse(payloadText).status === 'accepted';
}

/**
 * Does the work of a task after its call was answered, and tells the host how it ended (§10.3). A task that was cancelled
 * has ended for the host, so nothing is sent.
 */
async function finishTask(work, call) {
  const { task, signal } = call;
  const reporter = progressReporter(task, signal);
  const later = { ...call, progress: reporter.report };
  const handlers = () => work(later);
  const payload = JSON.parse(await resultText(handlers, { command: call.command, arguments: {} }, later));
  await reporter.stop();
  if (signal.aborted) return;
  const result = await withFiles(payload, call.resourceDir).catch((error) => JSON.parse(failureText(error, later)));
  const sent = await callBack(task, { result }, signal, DELIVERY_ATTEMPTS);
  if (sent.ok || signal.aborted) return;
  console.error(`vcp-plugin: the host took no end of task ${task.id}: ${sent.problem}`);
  if (sent.status !== 422) return;
  // The task would wait until its time is over; its caller is better served with what was wrong.
  const details = { refused: sent.problem };
  const error = new PluginError('INVALID_TOOL_RESULT', 'the result of the task was refused by the host', { details });
  await callBack(task, { result: errorPayload(error) }, signal, DELIVERY_ATTEMPTS);
}

/** Files that were left in the call's directory go along: who takes callbacks may be another machine. */
async function withFiles(payload, directory) {
  let left = CALLBACK_FILE_BYTES;
  const resources = [];
  for (const { localPath, ...resource } of payload.resources ?? []) {
    if (localPath === undefined) {
      resources.push(resource);
      continue;
    }
    const path = join(directory ?? '.', localPath);
    left -= (await stat(path)).size;
    if (left < 0) {
      throw new PluginError(
        'RESOURCE_TOO_LARGE',
        `the files of the result have more than ${CALLBACK_FILE_BYTES} bytes together; give larger ones as an address`,
        { details: { resource: resource.id } },
      );
    }
    resources.push({ ...resource, base64: await readFile(path, 'base64') });
  }
  return payload.resources === undefined ? payload : { ...payload, resources };
}

/** Sends the newest report at most every half second, one at a time. Progress is a courtesy: what fails is dropped. */
function progressReporter(task, signal) {
  const stopped = new AbortController();
  const until = AbortSignal.any([signal, stopped.signal]);
  let newest = null;
  let sending = null;
  const send = async () => {
    while (newest !== null && !until.aborted) {
      const progress = newest;
      newest = null;
      await callBack(task, { progress }, until, 1);
      await sleep(PROGRESS_INTERVAL_MS, undefined, { signal: until }).catch(() => undefined);
    }
    sending = null;
  };
  return {
    report: (report) => {
      const text = progressText(report);
      if (text === null || until.aborted) return;
      newest = JSON.parse(text);
      sending ??= send();
    },
    stop: async () => {
      stopped.abort();
      await sending;
    },
  };
}

/** Posts one callback. The same one may be sent again: the host knows it by its webhook-id. */
async function callBack(task, content, signal, attempts) {
  const protocol = { name: 'vcp.tool-result-callback', version: VERSION };
  const body = JSON.stringify({ protocol, taskId: task.id, ...content });
  const webhookId = `msg_${randomUUID()}`;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await postOnce(task, body, webhookId, signal);
    if (answer.ok || !answer.isTransient || attempt >= attempts || signal.aborted) return answer;
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
}

async function postOnce({ callbackUrl, token }, body, webhookId, signal) {
  try {
    const response = await fetch(callbackUrl, {
      method: 'POST',
      redirect: 'manual', // the token is for this address alone
      headers: {
        authorization: `VCP-Plugin ${token}`,
        'content-type': 'application/json',
        'webhook-id': webhookId,
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALLBACK_MS)]),
    });
    const { ok, status } = response;
    const text = await response.text();
    return { ok, status, isTransient: status === 429 || status >= 500, problem: `${status} ${cut(text, 2_000)}` };
  } catch (error) {
    return { ok: false, status: 0, isTransient: true, problem: messageOf(error.cause ?? error) };
  }
}

/**
 * The JSON of the payload that a call comes to. Never rejects, since that would end the process and every call in it:
 * a handler that throws has an error for its result, and one that throws what cannot even be looked at has UNREADABLE.
 */
async function resultText(handlers, payload, call) {
  try {
    return JSON.stringify(checked(await run(handlers, payload, call)));
  } catch (error) {
    return failureText(error, call);
  }
}

function failureText(error, call) {
  try {
    return JSON.stringify(checked(failurePayload(error, call)));
  } catch {
    return UNREADABLE;
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
