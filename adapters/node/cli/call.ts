import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import { coerceArguments } from '../../../src/instruction/coerce-arguments.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { EXIT, UsageError } from './exit.ts';

export type CallOptions = ConnectOptions & {
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly json?: string;
  readonly timeout?: string;
  readonly view: ResultView;
};

/** `vcp call`: prints the view on stdout; the exit code tells whether the tool succeeded. */
export const callCommand = async (tool: string, options: CallOptions): Promise<void> => {
  if (options.json !== undefined && options.arg !== undefined)
    throw new UsageError('give arguments by --arg or by --json, not both');
  const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw new UsageError('--timeout is a whole number of milliseconds');
  const client = connect(options);
  const args =
    options.json === undefined
      ? await writtenArguments(client, tool, options)
      : withCommand(await jsonArguments(options.json), options.command);
  // The call is made once and read twice: the canonical result tells whether the tool succeeded, in every view.
  const result = await client.callTool(tool, args, timeoutMs === undefined ? {} : { timeoutMs });
  const view = options.view === 'canonical' ? result : await client.getResult(result.id, { view: options.view });
  process.stdout.write(
    options.view === 'ai' ? `${(view as { text: string }).text}\n` : `${JSON.stringify(view, null, 2)}\n`,
  );
  process.exitCode = SUCCESSFUL.has(result.status) ? EXIT.success : EXIT.toolError;
};

const SUCCESSFUL: ReadonlySet<string> = new Set(['success', 'accepted', 'partial']);

const withCommand = (args: JsonObject, command: string | undefined): JsonObject =>
  command === undefined ? args : { ...args, command };

const jsonArguments = async (given: string): Promise<JsonObject> => {
  const text = given === '-' ? await readText(process.stdin) : given;
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (!parsed.ok) throw new UsageError(`--json ${parsed.issue.pointer} ${parsed.issue.message}`);
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    throw new UsageError('--json must be an object');
  return parsed.value as JsonObject;
};

/** `--arg` values are text; the tool's own schema says what each is to become. */
const writtenArguments = async (
  client: VcpClient,
  tool: string,
  { command, arg = [] }: CallOptions,
): Promise<JsonObject> => {
  const fields = arg.map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--arg ${pair} must be name=value`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  if (fields.length === 0) return withCommand({}, command);
  const { tools } = await client.listTools();
  const description = tools.find(({ name }) => name === tool);
  const schema = (
    description?.commands.find(({ commandIdentifier }) => commandIdentifier === command) ??
    (description?.commands.length === 1 ? description.commands[0] : undefined)
  )?.inputSchema;
  return withCommand(coerceArguments(fields, schema ?? true), command);
};
