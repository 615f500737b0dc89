import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import type { ApprovalSummary } from '../../../../src/protocol/approval.ts';
import type { CanonicalToolResult } from '../../../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../../../src/protocol/invocation.ts';
import type { JsonObject } from '../../../../src/protocol/json.ts';
import type { ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { printable } from '../terminal.ts';
import { connect, type ConnectOptions } from '../connect.ts';
import { EXIT, Interrupted, UsageError } from '../exit.ts';
import { shellQuote } from '../shell-quote.ts';
import { callLine } from './call-line.ts';
import { completeCall } from './complete-call.ts';
import { createEventLines, mayDrawBeside, type EventLines } from './event-lines.ts';
import { exitCodeOfResult } from './exit-code-of-result.ts';
import { followTask } from './follow-task.ts';
import { createForm, type Form } from './form.ts';
import { printResult } from './print-result.ts';
import { progressLineFor } from './progress-line.ts';
import { saveResources } from './save-resources.ts';
import { showEnd } from './show-end.ts';
import { takesCommand } from './takes-command.ts';
import { uploadArguments } from './upload-arguments.ts';
import { unknownCommand } from './unknown-names.ts';
import { jsonOf, readWrittenArguments } from './written-arguments.ts';

export type RunCallOptions = ConnectOptions & {
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly json?: string;
  readonly timeout?: string;
  readonly idempotencyKey?: string;
  readonly view?: ResultView;
  readonly save?: string;
  readonly progress?: boolean;
  readonly detach?: boolean;
  readonly wait?: boolean;
  /** False: `--no-input`. */
  readonly input: boolean;
};

/** `vcp call`: prints the result on stdout; the exit code tells whether the tool succeeded. */
export const runCall = async (toolName: string | undefined, options: RunCallOptions): Promise<void> => {
  if (options.json !== undefined && options.arg !== undefined)
    throw new UsageError('give arguments by --arg or by --json, not both');
  const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw new UsageError('--timeout is a whole number of milliseconds');
  const { idempotencyKey } = options;
  if (idempotencyKey !== undefined && !/^[ -~]{1,255}$/.test(idempotencyKey))
    throw new UsageError('--idempotency-key has 1 to 255 characters of printable ASCII');
  const client = connect(options);
  const form = mayAsk(options) ? await openForm() : null;
  const call = await obtainCall(client, toolName, options, form);
  const lines = options.wait === true ? createEventLines() : null;
  const result = await runInterruptibly(client, call, timeoutMs, options, lines);
  if (options.wait === true) await showWaited(client, result, lines, options);
  else await showAnswer(client, result, options);
  if (call.line !== null) process.stderr.write(`next time: ${call.line}${options.wait === true ? ' --wait' : ''}\n`);
};

/** What the call was answered, which may be that it goes on. */
const showAnswer = async (client: VcpClient, result: CanonicalToolResult, { view, save }: RunCallOptions) => {
  process.exitCode = exitCodeOfResult(result);
  await printResult(client, result, view);
  const { status, task, resources } = result;
  if (status === 'accepted' && task !== null) {
    const saving = save === undefined ? '' : ` --save ${shellQuote(save)}`;
    process.stderr.write(
      `vcp: the call goes on as a task; vcp tasks watch ${task.id}${saving} waits for its result, as --wait would have\n`,
    );
  } else if (save !== undefined) await saveResources(client, resources, save);
};

/** The result that the call came to, however long that took. */
const showWaited = async (
  client: VcpClient,
  result: CanonicalToolResult,
  lines: EventLines | null,
  { view, save, progress = false, idempotencyKey }: RunCallOptions,
) => {
  if (result.status !== 'accepted' || result.task === null)
    return await showEnd(client, { result, wasInterrupted: false }, lines, { view, save });
  lines?.('accepted', result);
  const followed = await followTask(client, {
    taskId: result.task.id,
    title: result.tool.name,
    lines,
    isLog: progress,
    // A call under a key belongs to all who may ask for it again.
    cancelsTask: idempotencyKey === undefined,
  });
  await showEnd(client, followed, lines, { view, save });
};

/** Questions are for a person at a terminal; a script gets an error that names what is missing. */
const mayAsk = ({ input }: RunCallOptions): boolean =>
  input && process.stdin.isTTY && process.stderr.isTTY && ['', '0', 'false'].includes(process.env['CI'] ?? '');

const openForm = async (): Promise<Form> => {
  const { createPrompts } = await import('./prompts.ts');
  return createForm(createPrompts());
};

/** A call that is ready to be sent; `line` is how it is written when a form has asked for parts of it. */
type Call = { readonly tool: string; readonly arguments: JsonObject; readonly line: string | null };

const obtainCall = async (
  client: VcpClient,
  toolName: string | undefined,
  { command, arg = [], json }: RunCallOptions,
  form: Form | null,
): Promise<Call> => {
  if (toolName === undefined && form === null)
    throw new UsageError('which tool? give its name, as in "vcp call TOOL"; "vcp tools" lists them');
  const given = json === undefined ? null : await jsonArguments(json);
  // Read before anything is asked: both may want stdin.
  const written = await readWrittenArguments(arg);
  if (given !== null && toolName !== undefined && command === undefined)
    return { tool: toolName, arguments: given, line: null };

  const tool = await describedTool(client, toolName, form);
  // JSON is the whole of the arguments: nothing of it is converted, and nothing else is asked for.
  if (given !== null) return { tool: tool.name, arguments: withCommand(given, tool, command), line: null };
  const completed = await completeCall(tool, { command, written, isAsked: toolName === undefined }, form);
  const args = await uploadArguments(client, completed.arguments, completed.uploads);
  return { tool: tool.name, arguments: args, line: completed.isAsked ? callLine(tool, completed.command, args) : null };
};

const withCommand = (given: JsonObject, tool: ToolDescription, command: string | undefined): JsonObject => {
  if (command === undefined) return given;
  if (!tool.commands.some(({ commandIdentifier }) => commandIdentifier === command))
    throw unknownCommand(tool, command);
  return takesCommand(tool, command) ? { ...given, [tool.commandField]: command } : given;
};

/** The tool as its server describes it. */
const describedTool = async (
  client: VcpClient,
  name: string | undefined,
  form: Form | null,
): Promise<ToolDescription> => {
  if (name === undefined) {
    const { tools } = await client.listTools();
    const callable = tools.filter(({ enabled }) => enabled);
    if (callable.length === 0 || form === null) throw new UsageError('this server has no tools that this key may call');
    return await form.chooseTool(callable);
  }
  return await client.getTool(name);
};

const jsonArguments = async (given: string): Promise<JsonObject> => {
  const value = jsonOf(given === '-' ? await readText(process.stdin) : given, '--json');
  if (!isJsonObject(value)) throw new UsageError('--json must be an object');
  return value;
};

/** Runs the call; Ctrl-C cancels it on the server unless it has a key, a second one does not wait for that. */
const runInterruptibly = async (
  client: VcpClient,
  call: Call,
  timeoutMs: number | undefined,
  { progress = false, detach = false, idempotencyKey }: RunCallOptions,
  lines: EventLines | null,
): Promise<CanonicalToolResult> => {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const line = progress || mayDrawBeside(lines) ? progressLineFor(call.tool, progress) : null;
  try {
    return await client.callTool(call.tool, call.arguments, {
      signal: stop.signal,
      onProgress: (event) => {
        lines?.('vcp_info', event);
        line?.update(event);
      },
      onApproval: (approval) => {
        const text = waitsForApproval(approval);
        if (line === null) process.stderr.write(text);
        else line.say(text);
      },
      ...(detach ? { respondAsync: true } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  } catch (error) {
    if (stop.signal.aborted) throw new Interrupted(whatGoesOn(idempotencyKey));
    throw error;
  } finally {
    line?.stop();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
};

/** A call under a key belongs to all who may ask for it again, so it goes on without whoever asked first. */
const whatGoesOn = (idempotencyKey: string | undefined): string =>
  idempotencyKey === undefined
    ? 'interrupted; the server was told to cancel the call'
    : 'interrupted; if the call has begun it goes on at the server, and the same --idempotency-key gets its result';

const waitsForApproval = ({ id, requiredBy, expiresAt }: ApprovalSummary): string =>
  `vcp: the call waits for a person's approval${requiredBy.reason === null ? '' : ` (${printable(requiredBy.reason)})`}; an operator decides until ${expiresAt} with
  vcp approvals approve ${id}
  vcp approvals reject ${id} --reason TEXT\n`;
