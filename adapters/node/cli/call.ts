import { readFileSync } from 'node:fs';
import process from 'node:process';
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
  if (options.json !== undefined && options.arg !== undefined) throw new UsageError('give arguments by --arg or by --json, not both');
  const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) throw new UsageError('--timeout is a whole number of milliseconds');
  const client = connect(options);
  const args = options.json === undefined ? await writtenArguments(client, tool, options) : withCommand(jsonArguments(options.json), options.command);
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  if (options.view === 'ai') {
    // The text for a model does not say in a field whether the tool succeeded; the result does.
    const result = await client.callTool(tool, args, limits);
    const { text } = (await client.getResult(result.id, { view: 'ai' })) as { text: string };
    process.stdout.write(`${text}\n`);
    process.exitCode = succeeded(result, 'canonical') ? EXIT.success : EXIT.toolError;
    return;
  }
  const view = await client.callToolForView(tool, args, options.view, limits);
  process.stdout.write(`${JSON.stringify(view, null, 2)}\n`);
  process.exitCode = succeeded(view, options.view) ? EXIT.success : EXIT.toolError;
};

const withCommand = (args: JsonObject, command: string | undefined): JsonObject => (command === undefined ? args : { ...args, command });

const jsonArguments = (given: string): JsonObject => {
  const text = given === '-' ? readFileSync(0, 'utf8') : given;
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (!parsed.ok) throw new UsageError(`--json ${parsed.issue.pointer} ${parsed.issue.message}`);
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) throw new UsageError('--json must be an object');
  return parsed.value as JsonObject;
};

/** `--arg` values are text; the tool's own schema says what each is to become. */
const writtenArguments = async (client: VcpClient, tool: string, { command, arg = [] }: CallOptions): Promise<JsonObject> => {
  const fields = arg.map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--arg ${pair} must be name=value`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  if (fields.length === 0) return withCommand({}, command);
  const { tools } = await client.listTools();
  const description = tools.find(({ name }) => name === tool);
  const schema = (description?.commands.find(({ commandIdentifier }) => commandIdentifier === command) ?? (description?.commands.length === 1 ? description.commands[0] : undefined))?.inputSchema;
  return withCommand(coerceArguments(fields, schema ?? true), command);
};

const succeeded = (view: unknown, name: ResultView): boolean => {
  const status = name === 'bridge' ? (view as { result: { status: string } }).result.status : (view as { status: string }).status;
  return status === 'success' || status === 'accepted' || status === 'partial';
};
